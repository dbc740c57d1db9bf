package rpc

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetCommit answers one commit.
func (s *Service) GetCommit(_ context.Context, req *connect.Request[pb.GetCommitRequest]) (*connect.Response[pb.GetCommitResponse], error) {
	commit, err := hashField("commit_hash", req.Msg.GetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetCommitResponse], error) {
		id, err := servedProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		row, err := knownCommit(snapshot, id, commit)
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(commitResponse(id, commit, row)), nil
	})
}

func knownCommit(snapshot Snapshot, project, commit ident.Hash) (*pb.CommitRow, error) {
	row, err := load[pb.CommitRow](snapshot, schema.CommitKey(project, commit))
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, notFound("commit %s is not known in project %s", commit, project)
	}
	return row, nil
}

// ListCommits lists the commits of a project in byte order of their hashes.
func (s *Service) ListCommits(_ context.Context, req *connect.Request[pb.ListCommitsRequest]) (*connect.Response[pb.ListCommitsResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListCommitsResponse], error) {
		id, err := servedProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		prefix := schema.CommitPrefix(id)
		commits, next, err := pageOf(snapshot, listOf("ListCommits", id[:]), prefix, req.Msg.GetLimit(), req.Msg.GetCursor(),
			func(key, value []byte) (*pb.GetCommitResponse, error) {
				var row pb.CommitRow
				if err := schema.Decode(value, &row); err != nil {
					return nil, err
				}
				return commitResponse(id, ident.Hash(key[len(prefix):]), &row), nil
			})
		return connect.NewResponse(&pb.ListCommitsResponse{Commits: commits, NextCursor: next}), err
	})
}

// GetCommitAncestors answers a commit and then its ancestors breadth first, parents in order, none twice.
// Parents that were pruned, or that a fork did not copy, end the walk.
func (s *Service) GetCommitAncestors(_ context.Context, req *connect.Request[pb.GetCommitAncestorsRequest]) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
	start, err := hashField("commit_hash", req.Msg.GetCommitHash())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetCommitAncestorsResponse], error) {
		id, err := servedProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		if _, err := knownCommit(snapshot, id, start); err != nil {
			return nil, err
		}
		commits, err := ancestors(snapshot, id, start, limitOf(req.Msg.GetLimit()))
		return connect.NewResponse(&pb.GetCommitAncestorsResponse{Commits: commits}), err
	})
}

func ancestors(snapshot Snapshot, project, start ident.Hash, most int) ([]*pb.CommitMeta, error) {
	var commits []*pb.CommitMeta
	seen := map[ident.Hash]struct{}{start: {}}
	size := 0
	for queue := []ident.Hash{start}; len(queue) > 0 && len(commits) < most; queue = queue[1:] {
		row, err := load[pb.CommitRow](snapshot, schema.CommitKey(project, queue[0]))
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		meta := commitMeta(queue[0], row)
		if size += proto.Size(meta); len(commits) > 0 && size > MaxAnswerBytes {
			break
		}
		commits = append(commits, meta)
		for _, parent := range row.GetParents() {
			if p := ident.Hash(parent); !contains(seen, p) {
				seen[p] = struct{}{}
				queue = append(queue, p)
			}
		}
	}
	return commits, nil
}

func contains(set map[ident.Hash]struct{}, hash ident.Hash) bool {
	_, ok := set[hash]
	return ok
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
