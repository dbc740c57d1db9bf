package rpc

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetMergeRequest returns one open merge request.
func (s *Service) GetMergeRequest(ctx context.Context, req *connect.Request[pb.GetMergeRequestRequest]) (*connect.Response[pb.GetMergeRequestResponse], error) {
	project, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	request, err := hashField("request_id", req.Msg.GetRequestId())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetMergeRequestResponse], error) {
		row, err := load[pb.MergeRequestRow](snapshot, schema.MergeRequestKey(project, request))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("project %s has no open merge request %s", project, request)
		}
		return connect.NewResponse(&pb.GetMergeRequestResponse{MergeRequest: mergeRequest(project, request, row)}), nil
	})
}

// ListMergeRequests lists the open merge requests of a project by id, all or those of one requester. Those of a removed
// project are listed because they can still be withdrawn (P9.8).
func (s *Service) ListMergeRequests(ctx context.Context, req *connect.Request[pb.ListMergeRequestsRequest]) (*connect.Response[pb.ListMergeRequestsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListMergeRequestsResponse], error) {
		id, _, err := existingProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		requests, next, err := requestsTo(snapshot, id, req.Msg)
		return connect.NewResponse(&pb.ListMergeRequestsResponse{MergeRequests: requests, NextCursor: next}), err
	})
}

func requestsTo(snapshot Snapshot, project ident.Hash, req *pb.ListMergeRequestsRequest) ([]*pb.MergeRequestSummary, []byte, error) {
	if len(req.GetRequesterOwnerAddress()) == 0 {
		return readPage(snapshot, newListID("ListMergeRequests", project[:]), schema.MergeRequestPrefix(project), req,
			func(key *schema.Key, row *pb.MergeRequestRow) (*pb.MergeRequestSummary, error) {
				return mergeRequest(project, key.ID, row), nil
			})
	}
	requester, err := addressField("requester_owner_address", req.GetRequesterOwnerAddress())
	if err != nil {
		return nil, nil, err
	}
	prefix := append(schema.MergeRequestByRequesterPrefix(requester), project[:]...)
	return requestsBy(snapshot, newListID("ListMergeRequests", project[:], requester[:]), prefix, req)
}

// ListMergeRequestsByRequester lists the open merge requests of an account, by project and id.
func (s *Service) ListMergeRequestsByRequester(ctx context.Context, req *connect.Request[pb.ListMergeRequestsByRequesterRequest]) (*connect.Response[pb.ListMergeRequestsByRequesterResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListMergeRequestsByRequesterResponse], error) {
		l := newListID("ListMergeRequestsByRequester", owner[:])
		requests, next, err := requestsBy(snapshot, l, schema.MergeRequestByRequesterPrefix(owner), req.Msg)
		return connect.NewResponse(&pb.ListMergeRequestsByRequesterResponse{MergeRequests: requests, NextCursor: next}), err
	})
}

// requestsBy lists merge requests by the rows of their requesters.
func requestsBy(snapshot Snapshot, l listID, prefix []byte, req pageRequest) ([]*pb.MergeRequestSummary, []byte, error) {
	return readPage(snapshot, l, prefix, req, func(key *schema.Key, _ *pb.MergeRequestByRequesterRow) (*pb.MergeRequestSummary, error) {
		row, err := load[pb.MergeRequestRow](snapshot, schema.MergeRequestKey(key.Project, key.ID))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, fmt.Errorf("merge request %s of project %s has no row", key.ID, key.Project)
		}
		return mergeRequest(key.Project, key.ID, row), nil
	})
}

func mergeRequest(project, request ident.Hash, row *pb.MergeRequestRow) *pb.MergeRequestSummary {
	return &pb.MergeRequestSummary{
		RequestId: request[:], ProjectId: project[:], RequesterOwnerAddress: row.GetRequesterOwnerAddress(),
		SourceProjectId: row.GetSourceProjectId(), SourceRef: row.GetSourceRef(), SourceCommitHash: row.GetSourceCommitHash(),
		TargetRef: row.GetTargetRef(), Title: row.GetTitle(), AddedAt: row.GetTimestamp(),
	}
}
