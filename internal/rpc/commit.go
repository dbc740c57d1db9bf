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
		response, err := newContents(snapshot, id).commitResponse(commit, row)
		return connect.NewResponse(response), err
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
		contents := newContents(snapshot, id)
		commits, next, err := readPage(snapshot, newListID("ListCommits", id[:]), schema.CommitPrefix(id), req.Msg,
			func(key *schema.Key, row *pb.CommitRow) (*pb.GetCommitResponse, error) {
				return contents.commitResponse(key.ID, row)
			})
		return connect.NewResponse(&pb.ListCommitsResponse{Commits: commits, NextCursor: next}), err
	})
}

// contents reads the content rows of a project for one response. The commits of a bundle have the same one, so each is read
// once.
type contents struct {
	snapshot Snapshot
	project  ident.Hash
	urls     map[ident.Hash]string
}

func newContents(snapshot Snapshot, project ident.Hash) *contents {
	return &contents{snapshot: snapshot, project: project, urls: make(map[ident.Hash]string)}
}

// commitResponse returns a commit with the URL of its content, which is empty if the content row was pruned.
func (c *contents) commitResponse(commit ident.Hash, row *pb.CommitRow) (*pb.GetCommitResponse, error) {
	response := &pb.GetCommitResponse{ProjectId: c.project[:], Commit: commitMeta(commit, row), ContentDigest: row.GetContentDigest()}
	if len(row.GetContentDigest()) == 0 {
		return response, nil
	}
	digest, err := hashIn(row.GetContentDigest())
	if err != nil {
		return nil, err
	}
	url, known := c.urls[digest]
	if !known {
		content, err := load[pb.ContentRow](c.snapshot, schema.ContentKey(c.project, digest))
		if err != nil {
			return nil, err
		}
		url = content.GetUrl()
		c.urls[digest] = url
	}
	response.Url = url
	return response, nil
}

func commitMeta(commit ident.Hash, row *pb.CommitRow) *pb.CommitMeta {
	return &pb.CommitMeta{
		Hash: commit[:], Parents: row.GetParents(), TreeRoot: row.GetTreeRoot(), AuthorTimestamp: row.GetAuthorTimestamp(),
		Title: row.GetTitle(), MessageHash: row.GetMessageHash(), AuthorAddress: row.GetAuthorAddress(),
		AuthorName: row.GetAuthorName(),
	}
}
