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

// Read reads a commit and its ancestors. If the history has more open lines than the node can list, Read lists all commits
// of the project instead. It calls progress with the number of commits read.
func Read(ctx context.Context, chain *client.Client, project, tip message.Hash, progress func(read int)) (*Graph, error) {
	g := &Graph{tip: tip, commits: map[message.Hash]*pb.CommitMeta{}}
	for cursor := []byte(nil); ; {
		page, err := client.Call(ctx, chain.GetCommitAncestors, &pb.GetCommitAncestorsRequest{
			ProjectId: project[:], CommitHash: tip[:], Limit: limit.MaxPage, Cursor: cursor,
		})
		if connect.CodeOf(err) == connect.CodeOutOfRange {
			return g, g.readAll(ctx, chain, project, progress)
		}
		if err != nil {
			return nil, err
		}
		if err := g.add(page.GetCommits()...); err != nil {
			return nil, err
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return g, nil
		}
		progress(len(g.commits))
	}
}

// readAll adds all commits of a project.
func (g *Graph) readAll(ctx context.Context, chain *client.Client, project message.Hash, progress func(read int)) error {
	for cursor := []byte(nil); ; {
		page, err := client.Call(ctx, chain.ListCommits, &pb.ListCommitsRequest{ProjectId: project[:], Limit: limit.MaxPage, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, listed := range page.GetCommits() {
			if err := g.add(listed.GetCommit()); err != nil {
				return err
			}
		}
		progress(len(g.commits))
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			return nil
		}
	}
}

// add adds commits, after checking the sizes of the hashes that the node returned.
func (g *Graph) add(commits ...*pb.CommitMeta) error {
	for _, commit := range commits {
		hash, ok := ident.HashFrom(commit.GetHash())
		if !ok {
			return fmt.Errorf("the node returned a commit hash of %d bytes", len(commit.GetHash()))
		}
		for _, parent := range commit.GetParents() {
			if len(parent) != ident.HashSize {
				return fmt.Errorf("the node returned commit %s with a parent of %d bytes", hash, len(parent))
			}
		}
		g.commits[hash] = commit
	}
	return nil
}
