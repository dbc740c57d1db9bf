package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetCommit returns one commit.
func (s *Service) GetCommit(ctx context.Context, req *connect.Request[pb.GetCommitRequest]) (*connect.Response[pb.GetCommitResponse], error) {
	commit, err := hashField("commit_hash", req.Msg.GetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetCommitResponse], error) {
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
func (s *Service) ListCommits(ctx context.Context, req *connect.Request[pb.ListCommitsRequest]) (*connect.Response[pb.ListCommitsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListCommitsResponse], error) {
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
