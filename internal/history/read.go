package history

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/message"
)

// Read reads a commit and its first ancestors, in pages of the given size; Walk reads more. If the history has more open
// lines than the node can list, all commits of the project are listed instead.
func Read(ctx context.Context, chain *client.Client, project, tip message.Hash, pageSize uint32) (*Graph, error) {
	g := &Graph{tip: tip, commits: map[message.Hash]*pb.CommitMeta{}}
	var cursor []byte
	g.next = func() ([]*pb.CommitMeta, error) {
		page, err := client.Call(ctx, chain.GetCommitAncestors, &pb.GetCommitAncestorsRequest{
			ProjectId: project[:], CommitHash: tip[:], Limit: pageSize, Cursor: cursor,
		})
		if connect.CodeOf(err) == connect.CodeOutOfRange {
			g.next = nil
			return nil, g.readAll(ctx, chain, project)
		}
		if err != nil {
			return nil, err
		}
		added, err := g.add(page.GetCommits()...)
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			g.next = nil
		}
		return added, err
	}
	for g.commits[tip] == nil && g.next != nil {
		if _, err := g.next(); err != nil {
			return nil, err
		}
	}
	if g.commits[tip] == nil {
		return nil, fmt.Errorf("the node did not return commit %s", tip)
	}
	return g, nil
}

// readAll adds all commits of a project.
func (g *Graph) readAll(ctx context.Context, chain *client.Client, project message.Hash) error {
	for cursor := []byte(nil); ; {
		page, err := client.Call(ctx, chain.ListCommits, &pb.ListCommitsRequest{ProjectId: project[:], Limit: limit.MaxPage, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, listed := range page.GetCommits() {
			if _, err := g.add(listed.GetCommit()); err != nil {
				return err
			}
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return nil
		}
	}
}

// add adds commits and returns those that the graph did not have, after checking the sizes of the hashes that the node
// returned.
func (g *Graph) add(commits ...*pb.CommitMeta) ([]*pb.CommitMeta, error) {
	added := make([]*pb.CommitMeta, 0, len(commits))
	for _, commit := range commits {
		hash, ok := ident.HashFrom(commit.GetHash())
		if !ok {
			return nil, fmt.Errorf("the node returned a commit hash of %d bytes", len(commit.GetHash()))
		}
		for _, parent := range commit.GetParents() {
			if len(parent) != ident.HashSize {
				return nil, fmt.Errorf("the node returned commit %s with a parent of %d bytes", hash, len(parent))
			}
		}
		if g.commits[hash] == nil {
			g.commits[hash] = commit
			added = append(added, commit)
		}
	}
	return added, nil
}
