package rest

import pb "makechain/gen/makechain"

// OfCommit is what every route below a commit takes.
type OfCommit struct {
	OfProject

	Hash idParam `doc:"The hash of the commit: 64 hex digits." path:"hash"`
}

type commitInput struct{ OfCommit }

type commitAncestorsInput struct {
	OfCommit
	Limited
}

type commitReactionsInput struct {
	OfCommit
	Page
}

func (g *Gateway) registerCommits() {
	get(g, endpoint{
		id: "list-commits", path: "/v1/projects/{projectId}/commits", rpcs: []string{"ListCommits"}, tag: tagCommits,
		summary: "The commits of a project, by hash", errors: mayBeAbsent(),
	}, g.upstream.ListCommits, func(in *projectListInput) *pb.ListCommitsRequest {
		return &pb.ListCommitsRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-commit", path: "/v1/projects/{projectId}/commits/{hash}", rpcs: []string{"GetCommit"}, tag: tagCommits,
		summary: "A commit", about: "A commit never changes, so the answer may be kept for ever.", errors: mayBeAbsent(), caching: immutable,
	}, g.upstream.GetCommit, func(in *commitInput) *pb.GetCommitRequest {
		return &pb.GetCommitRequest{ProjectId: in.Project.bytes, CommitHash: in.Hash.bytes}
	})

	get(g, endpoint{
		id: "get-commit-ancestors", path: "/v1/projects/{projectId}/commits/{hash}/ancestors", rpcs: []string{"GetCommitAncestors"}, tag: tagCommits,
		summary: "A commit and then its ancestors, breadth first", errors: mayBeAbsent(),
	}, g.upstream.GetCommitAncestors, func(in *commitAncestorsInput) *pb.GetCommitAncestorsRequest {
		return &pb.GetCommitAncestorsRequest{ProjectId: in.Project.bytes, CommitHash: in.Hash.bytes, Limit: in.Limit}
	})

	get(g, endpoint{
		id: "list-commit-reactions", path: "/v1/projects/{projectId}/commits/{hash}/reactions", rpcs: []string{"ListReactionsByTarget"}, tag: tagCommits,
		summary: "Who likes a commit", errors: mayBeAbsent(),
	}, g.upstream.ListReactionsByTarget, func(in *commitReactionsInput) *pb.ListReactionsByTargetRequest {
		return &pb.ListReactionsByTargetRequest{
			ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: in.Project.bytes, TargetCommitHash: in.Hash.bytes,
			Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
	})
}
