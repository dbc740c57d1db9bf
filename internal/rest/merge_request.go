package rest

import pb "makechain/gen/makechain"

// ClosedQuery selects closed merge requests.
type ClosedQuery struct {
	IncludeClosed bool `doc:"Returns closed merge requests, too; in a list after the open ones." query:"include_closed"`
}

type listMergeRequestsInput struct {
	ProjectPath
	PageQuery
	ClosedQuery

	Requester addressParam `doc:"Only merge requests of this account." query:"requester_owner_address"`
}

type mergeRequestInput struct {
	ProjectPath
	ClosedQuery

	Request idParam `doc:"The id of the merge request: 64 hex digits." path:"requestId"`
}

type accountMergeRequestsInput struct {
	AccountPath
	PageQuery
	ClosedQuery
}

func (g *Gateway) registerMergeRequests() {
	get(g, endpoint{
		id: "list-merge-requests", path: "/v1/projects/{projectId}/merge-requests", rpcs: []string{"ListMergeRequests"}, tag: tagMergeRequests,
		summary: "List the open merge requests of a project, and closed ones on request", errors: notFound(),
	}, g.service.ListMergeRequests, func(in *listMergeRequestsInput) *pb.ListMergeRequestsRequest {
		return &pb.ListMergeRequestsRequest{
			ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes, RequesterOwnerAddress: in.Requester.bytes,
			IncludeClosed: in.IncludeClosed,
		}
	})

	get(g, endpoint{
		id: "get-merge-request", path: "/v1/projects/{projectId}/merge-requests/{requestId}", rpcs: []string{"GetMergeRequest"}, tag: tagMergeRequests,
		summary: "Get an open merge request, or a closed one on request", errors: notFound(),
	}, g.service.GetMergeRequest, func(in *mergeRequestInput) *pb.GetMergeRequestRequest {
		return &pb.GetMergeRequestRequest{ProjectId: in.Project.bytes, RequestId: in.Request.bytes, IncludeClosed: in.IncludeClosed}
	})

	get(g, endpoint{
		id: "list-merge-requests-by-requester", path: "/v1/accounts/{ownerAddress}/merge-requests",
		rpcs: []string{"ListMergeRequestsByRequester"}, tag: tagMergeRequests,
		summary: "List the open merge requests of an account, and closed ones on request",
	}, g.service.ListMergeRequestsByRequester, func(in *accountMergeRequestsInput) *pb.ListMergeRequestsByRequesterRequest {
		return &pb.ListMergeRequestsByRequesterRequest{
			OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes, IncludeClosed: in.IncludeClosed,
		}
	})
}
