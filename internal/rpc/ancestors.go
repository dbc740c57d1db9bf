package rpc

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// MaxFrontier is the largest number of commits in a cursor of GetCommitAncestors.
const MaxFrontier = 1_000

// GetCommitAncestors lists a commit and its ancestors by descending generation, then by hash, each once. Parents that were
// pruned, or that a fork did not copy, are skipped. The cursor contains the frontier: the commits that were reached but
// not yet listed. All children of a commit have a higher generation, so a commit that was listed is never reached again.
func (s *Service) GetCommitAncestors(ctx context.Context, req *connect.Request[pb.GetCommitAncestorsRequest]) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
	start, err := hashField("commit_hash", req.Msg.GetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		if _, err := existingCommit(snapshot, id, start); err != nil {
			return nil, err
		}
		list := newListID("GetCommitAncestors", id[:], start[:])
		payload, err := list.payload(req.Msg.GetCursor())
		if err != nil {
			return nil, err
		}
		if payload == nil {
			payload = start[:]
		}
		if len(payload)%ident.HashSize != 0 || len(payload) > MaxFrontier*ident.HashSize {
			return nil, errCursor()
		}
		a := &ancestry{snapshot: snapshot, project: id, seen: map[ident.Hash]bool{}}
		for hash := range slices.Chunk(payload, ident.HashSize) {
			commit, err := a.load(ident.Hash(hash))
			if err != nil {
				return nil, err
			}
			if commit != nil {
				heap.Push(&a.frontier, commit)
			}
		}
		commits, err := a.page(limitOf(req.Msg.GetLimit()))
		response := &pb.GetCommitAncestorsResponse{Commits: commits}
		if len(a.frontier) > 0 {
			response.NextCursor = list.cursor(a.frontier.encode())
		}
		return connect.NewResponse(response), err
	})
}

// ancestry reads one page of the ancestors of a commit.
type ancestry struct {
	snapshot Snapshot
	project  ident.Hash
	seen     map[ident.Hash]bool // commits that this page has loaded
	frontier frontier
}

// page lists commits of the frontier and replaces them by their parents, until a limit is reached or the frontier is
// empty.
func (a *ancestry) page(maxItems int) ([]*pb.CommitMeta, error) {
	var commits []*pb.CommitMeta
	page := pageSize{maxItems: maxItems}
	for len(a.frontier) > 0 && (page.items == 0 || len(a.seen) < MaxRowsScanned) {
		commit := a.frontier[0]
		meta := commitMeta(commit.hash, commit.row)
		if !page.add(meta) {
			break
		}
		parents, err := a.parents(commit)
		if err != nil {
			return nil, err
		}
		if len(a.frontier)-1+len(parents) > MaxFrontier {
			if len(commits) > 0 {
				break
			}
			return nil, outOfRange("commit_hash: more than %d lines of history are open at commit %s; ListCommits lists all commits of a project",
				MaxFrontier, commit.hash)
		}
		commits = append(commits, meta)
		heap.Pop(&a.frontier)
		for _, parent := range parents {
			heap.Push(&a.frontier, parent)
		}
	}
	return commits, nil
}

// parents loads the parents of a commit that are not in the frontier. The graph of a fork may have a parent whose
// generation is not lower than that of its child, even a cycle, because a fork does not copy all ancestors: such a parent
// is not an ancestor here.
func (a *ancestry) parents(commit *reached) ([]*reached, error) {
	var parents []*reached
	for _, stored := range commit.row.GetParents() {
		hash, err := hashIn(stored)
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", commit.hash, err)
		}
		parent, err := a.load(hash)
		if err != nil {
			return nil, err
		}
		if parent != nil && parent.row.GetGeneration() < commit.row.GetGeneration() {
			parents = append(parents, parent)
		}
	}
	return parents, nil
}

// load reads a commit. It returns nil if the commit was loaded before or does not exist.
func (a *ancestry) load(hash ident.Hash) (*reached, error) {
	if a.seen[hash] {
		return nil, nil
	}
	a.seen[hash] = true
	row, err := load[pb.CommitRow](a.snapshot, schema.CommitKey(a.project, hash))
	if row == nil || err != nil {
		return nil, err
	}
	return &reached{hash, row}, nil
}

// reached is a commit of the frontier.
type reached struct {
	hash ident.Hash
	row  *pb.CommitRow
}

// frontier is a heap of commits in the order of the list. It implements heap.Interface.
type frontier []*reached

// Len is part of heap.Interface, like the methods below.
func (f *frontier) Len() int { return len(*f) }

func (f *frontier) Less(i, j int) bool {
	a, b := (*f)[i], (*f)[j]
	return cmp.Or(cmp.Compare(b.row.GetGeneration(), a.row.GetGeneration()), bytes.Compare(a.hash[:], b.hash[:])) < 0
}

func (f *frontier) Swap(i, j int) { (*f)[i], (*f)[j] = (*f)[j], (*f)[i] }

func (f *frontier) Push(x any) {
	*f = append(*f, x.(*reached)) //nolint:forcetypeassert // only commits are pushed
}

func (f *frontier) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// encode returns the hashes of the commits in ascending order.
func (f *frontier) encode() []byte {
	hashes := make([][]byte, len(*f))
	for i, commit := range *f {
		hashes[i] = commit.hash[:]
	}
	slices.SortFunc(hashes, bytes.Compare)
	return bytes.Join(hashes, nil)
}
