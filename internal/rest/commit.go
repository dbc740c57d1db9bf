package rest

import pb "makechain/gen/makechain"

// CommitPath has the path parameters of routes below a commit.
type CommitPath struct {
	ProjectPath

	Hash commitParam `doc:"The hash of the commit: 64 hex digits, or the 40 hex digits of a SHA-1 id." path:"hash"`
}

type commitInput struct{ CommitPath }

type commitAncestorsInput struct {
	CommitPath
	PageQuery
}

type commitReactionsInput struct {
	CommitPath
	PageQuery
}

func (g *Gateway) registerCommits() {
	get(g, endpoint{
		id: "list-commits", path: "/v1/projects/{projectId}/commits", rpcs: []string{"ListCommits"}, tag: tagCommits,
		summary: "List the commits of a project, by hash", errors: notFound(),
	}, g.service.ListCommits, func(in *projectListInput) *pb.ListCommitsRequest {
		return &pb.ListCommitsRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-commit", path: "/v1/projects/{projectId}/commits/{hash}", rpcs: []string{"GetCommit"}, tag: tagCommits,
		summary: "Get a commit", description: "A commit never changes, so the response may be cached forever, except on a development chain.",
		errors: notFound(), immutable: true,
	}, g.service.GetCommit, func(in *commitInput) *pb.GetCommitRequest {
		return &pb.GetCommitRequest{ProjectId: in.Project.bytes, CommitHash: in.Hash.bytes}
	})

	get(g, endpoint{
		id: "get-commit-ancestors", path: "/v1/projects/{projectId}/commits/{hash}/ancestors", rpcs: []string{"GetCommitAncestors"}, tag: tagCommits,
		summary: "List a commit and its ancestors, by descending generation",
		description: "Ancestors of the same generation are ordered by hash. A cursor may have up to 64,016 digits. " +
			"A history with more than 1,000 open lines is an error; the list of commits has no such limit.",
		errors: notFound(),
	}, g.service.GetCommitAncestors, func(in *commitAncestorsInput) *pb.GetCommitAncestorsRequest {
		return &pb.GetCommitAncestorsRequest{ProjectId: in.Project.bytes, CommitHash: in.Hash.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-commit-reactions", path: "/v1/projects/{projectId}/commits/{hash}/reactions", rpcs: []string{"ListReactionsByTarget"}, tag: tagCommits,
		summary: "List the likes of a commit", errors: notFound(),
	}, g.service.ListReactionsByTarget, func(in *commitReactionsInput) *pb.ListReactionsByTargetRequest {
		return &pb.ListReactionsByTargetRequest{
			ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: in.Project.bytes, TargetCommitHash: in.Hash.bytes,
			Limit: in.Limit, Cursor: in.Cursor.bytes,
		}
	})
}
