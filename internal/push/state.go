package push

import (
	"context"
	"fmt"
	"strings"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/limit"
	"makechain/message"
)

// state is the state of a project on the chain.
type state struct {
	project *pb.GetProjectResponse
	refs    map[string]*pb.GetRefResponse // by name
	names   []string                      // names of refs, sorted
}

func (p *Push) state(ctx context.Context) (*state, error) {
	if p.Project == (message.Hash{}) {
		return &state{project: &pb.GetProjectResponse{MaxRefs: ledger.MaxRefs}}, nil
	}
	project, err := client.Call(ctx, p.Client.GetProject, &pb.GetProjectRequest{ProjectId: p.Project[:]})
	if err != nil {
		return nil, err
	}
	s := &state{project: project, refs: map[string]*pb.GetRefResponse{}}
	for cursor := []byte(nil); ; {
		page, err := client.Call(ctx, p.Client.ListRefs, &pb.ListRefsRequest{ProjectId: p.Project[:], Limit: limit.MaxPage, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, ref := range page.GetRefs() {
			s.refs[string(ref.GetRefName())] = ref
			s.names = append(s.names, string(ref.GetRefName()))
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return s, nil
		}
	}
}

// tips returns the commits that refs point at, in the order of the refs' names.
func (s *state) tips() []message.Hash {
	tips := make([]message.Hash, len(s.names))
	for i, name := range s.names {
		tips[i] = message.Hash(s.refs[name].GetHash())
	}
	return tips
}

// permanentTips returns the commits that refs other than temporary ones point at. The content of what temporary refs reach may
// have been uploaded by a push that was interrupted before the chain named it.
func (s *state) permanentTips() []message.Hash {
	var tips []message.Hash
	for _, name := range s.names {
		if !strings.HasPrefix(name, TemporaryRefPrefix) {
			tips = append(tips, message.Hash(s.refs[name].GetHash()))
		}
	}
	return tips
}

// storedCommits returns which of the commits the chain has, possibly with others. It requests each one or lists all
// commits of the project, whichever needs fewer calls.
func (p *Push) storedCommits(ctx context.Context, s *state, commits []message.Hash) (map[message.Hash]bool, error) {
	stored := int(s.project.GetCommitCount())
	if stored == 0 || len(commits) == 0 {
		return map[message.Hash]bool{}, nil
	}
	if len(commits) > stored/limit.MaxPage+1 {
		return p.listCommits(ctx)
	}
	found := make(map[message.Hash]bool)
	for _, commit := range commits {
		has, err := p.hasCommit(ctx, commit)
		if err != nil {
			return nil, err
		}
		if has {
			found[commit] = true
		}
	}
	return found, nil
}

// hasCommit reports whether the chain has a commit.
func (p *Push) hasCommit(ctx context.Context, commit message.Hash) (bool, error) {
	_, err := client.Call(ctx, p.Client.GetCommit, &pb.GetCommitRequest{ProjectId: p.Project[:], CommitHash: commit[:]})
	if connect.CodeOf(err) == connect.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// listCommits returns the hashes of all commits of the project.
func (p *Push) listCommits(ctx context.Context) (map[message.Hash]bool, error) {
	found := make(map[message.Hash]bool)
	for cursor := []byte(nil); ; {
		page, err := client.Call(ctx, p.Client.ListCommits, &pb.ListCommitsRequest{ProjectId: p.Project[:], Limit: limit.MaxPage, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, commit := range page.GetCommits() {
			hash, ok := ident.HashFrom(commit.GetCommit().GetHash())
			if !ok {
				return nil, fmt.Errorf("the node returned a commit hash of %d bytes", len(commit.GetCommit().GetHash()))
			}
			found[hash] = true
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return found, nil
		}
	}
}

// origin returns the commit from which a fork was created, and nothing for other projects. The ancestors of the commit
// are in the forked project (P9.5) and need not be sent.
func (p *Push) origin(ctx context.Context, s *state) ([]message.Hash, error) {
	if len(s.project.GetForkSource()) == 0 {
		return nil, nil
	}
	made, err := client.Call(ctx, p.Client.GetMessage, &pb.GetMessageRequest{Hash: p.Project[:]})
	if err != nil {
		// A node that joined by state sync may not have the message. Then the whole history is sent, which is valid too.
		if code := connect.CodeOf(err); code == connect.CodeNotFound || code == connect.CodeOutOfRange {
			return nil, nil
		}
		return nil, err
	}
	commit, ok := ident.HashFrom(made.GetMessage().GetData().GetFork().GetSourceCommitHash())
	if !ok {
		return nil, nil
	}
	if has, err := p.hasCommit(ctx, commit); err != nil || !has {
		return nil, err
	}
	return []message.Hash{commit}, nil
}
