package rest

import pb "makechain/gen/makechain"

type listMergeRequestsInput struct {
	ProjectPath
	PageQuery

	Requester addressParam `doc:"Only merge requests of this account." query:"requester_owner_address"`
}

type mergeRequestInput struct {
	ProjectPath

	Request idParam `doc:"The id of the merge request: 64 hex digits." path:"requestId"`
}

func (g *Gateway) registerMergeRequests() {
	get(g, endpoint{
		id: "list-merge-requests", path: "/v1/projects/{projectId}/merge-requests", rpcs: []string{"ListMergeRequests"}, tag: tagMergeRequests,
		summary: "List the open merge requests of a project", errors: notFound(),
	}, g.service.ListMergeRequests, func(in *listMergeRequestsInput) *pb.ListMergeRequestsRequest {
		return &pb.ListMergeRequestsRequest{
			ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes, RequesterOwnerAddress: in.Requester.bytes,
		}
	})

	get(g, endpoint{
		id: "get-merge-request", path: "/v1/projects/{projectId}/merge-requests/{requestId}", rpcs: []string{"GetMergeRequest"}, tag: tagMergeRequests,
		summary: "Get an open merge request", errors: notFound(),
	}, g.service.GetMergeRequest, func(in *mergeRequestInput) *pb.GetMergeRequestRequest {
		return &pb.GetMergeRequestRequest{ProjectId: in.Project.bytes, RequestId: in.Request.bytes}
	})

	get(g, endpoint{
		id: "list-merge-requests-by-requester", path: "/v1/accounts/{ownerAddress}/merge-requests",
		rpcs: []string{"ListMergeRequestsByRequester"}, tag: tagMergeRequests,
		summary: "List the open merge requests of an account",
	}, g.service.ListMergeRequestsByRequester, func(in *accountListInput) *pb.ListMergeRequestsByRequesterRequest {
		return &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})
}
