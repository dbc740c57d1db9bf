package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetCommit returns one commit.
func (s *Service) GetCommit(_ context.Context, req *connect.Request[pb.GetCommitRequest]) (*connect.Response[pb.GetCommitResponse], error) {
	commit, err := hashField("commit_hash", req.Msg.GetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetCommitResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		row, err := existingCommit(snapshot, id, commit)
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(commitResponse(id, commit, row)), nil
	})
}

func existingCommit(snapshot Snapshot, project, commit ident.Hash) (*pb.CommitRow, error) {
	row, err := load[pb.CommitRow](snapshot, schema.CommitKey(project, commit))
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, notFound("project %[2]s has no commit %[1]s", commit, project)
	}
	return row, nil
}

// ListCommits lists the commits of a project in byte order of their hashes.
func (s *Service) ListCommits(_ context.Context, req *connect.Request[pb.ListCommitsRequest]) (*connect.Response[pb.ListCommitsResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListCommitsResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		commits, next, err := readPage(snapshot, newListID("ListCommits", id[:]), schema.CommitPrefix(id), req.Msg,
			func(key *schema.Key, row *pb.CommitRow) (*pb.GetCommitResponse, error) {
				return commitResponse(id, key.ID, row), nil
			})
		return connect.NewResponse(&pb.ListCommitsResponse{Commits: commits, NextCursor: next}), err
	})
}

// GetCommitAncestors returns a commit and its ancestors in breadth-first order, each once. Parents that were pruned, or
// that a fork did not copy, are skipped.
func (s *Service) GetCommitAncestors(_ context.Context, req *connect.Request[pb.GetCommitAncestorsRequest]) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
	start, err := hashField("commit_hash", req.Msg.GetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		if _, err := existingCommit(snapshot, id, start); err != nil {
			return nil, err
		}
		commits, err := ancestors(snapshot, id, start, limitOf(req.Msg.GetLimit()))
		return connect.NewResponse(&pb.GetCommitAncestorsResponse{Commits: commits}), err
	})
}

func ancestors(snapshot Snapshot, project, start ident.Hash, maxItems int) ([]*pb.CommitMeta, error) {
	var commits []*pb.CommitMeta
	page := pageSize{maxItems: maxItems}
	seen := map[ident.Hash]bool{start: true}
	for queue := []ident.Hash{start}; len(queue) > 0; queue = queue[1:] {
		row, err := load[pb.CommitRow](snapshot, schema.CommitKey(project, queue[0]))
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		meta := commitMeta(queue[0], row)
		if !page.add(meta) {
			break
		}
		commits = append(commits, meta)
		for _, stored := range row.GetParents() {
			parent, err := hashIn(stored)
			if err != nil {
				return nil, fmt.Errorf("commit %s: %w", queue[0], err)
			}
			if !seen[parent] {
				seen[parent] = true
				queue = append(queue, parent)
			}
		}
	}
	return commits, nil
}

func commitResponse(project, commit ident.Hash, row *pb.CommitRow) *pb.GetCommitResponse {
	return &pb.GetCommitResponse{
		ProjectId: project[:], Commit: commitMeta(commit, row), ContentDigest: row.GetContentDigest(), Url: row.GetUrl(),
	}
}

func commitMeta(commit ident.Hash, row *pb.CommitRow) *pb.CommitMeta {
	return &pb.CommitMeta{
		Hash: commit[:], Parents: row.GetParents(), TreeRoot: row.GetTreeRoot(), AuthorTimestamp: row.GetAuthorTimestamp(),
		Title: row.GetTitle(), MessageHash: row.GetMessageHash(), AuthorAddress: row.GetAuthorAddress(),
	}
}
