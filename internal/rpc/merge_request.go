package rpc

import (
	"bytes"
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetMergeRequest answers one open merge request.
func (s *Service) GetMergeRequest(_ context.Context, req *connect.Request[pb.GetMergeRequestRequest]) (*connect.Response[pb.GetMergeRequestResponse], error) {
	project, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	request, err := hashField("request_id", req.Msg.GetRequestId())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetMergeRequestResponse], error) {
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

// ListMergeRequests lists the open merge requests of a project by id, all or one requester's.
func (s *Service) ListMergeRequests(_ context.Context, req *connect.Request[pb.ListMergeRequestsRequest]) (*connect.Response[pb.ListMergeRequestsResponse], error) {
	requester := req.Msg.GetRequesterOwnerAddress()
	if len(requester) > 0 {
		if _, err := addressField("requester_owner_address", requester); err != nil {
			return nil, err
		}
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListMergeRequestsResponse], error) {
		id, err := servedProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		prefix := schema.MergeRequestPrefix(id)
		requests, next, err := pageOf(snapshot, listOf("ListMergeRequests", id[:], requester), prefix, req.Msg.GetLimit(), req.Msg.GetCursor(),
			func(key, value []byte) (*pb.MergeRequestSummary, error) {
				var row pb.MergeRequestRow
				if err := schema.Decode(value, &row); err != nil {
					return nil, err
				}
				if len(requester) > 0 && !bytes.Equal(requester, row.GetRequesterOwnerAddress()) {
					return nil, nil
				}
				return mergeRequest(id, ident.Hash(key[len(prefix):]), &row), nil
			})
		return connect.NewResponse(&pb.ListMergeRequestsResponse{MergeRequests: requests, NextCursor: next}), err
	})
}

// ListMergeRequestsByRequester lists what an account has open, by project and id.
func (s *Service) ListMergeRequestsByRequester(_ context.Context, req *connect.Request[pb.ListMergeRequestsByRequesterRequest]) (*connect.Response[pb.ListMergeRequestsByRequesterResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListMergeRequestsByRequesterResponse], error) {
		requests, next, err := pageOf(snapshot, listOf("ListMergeRequestsByRequester", owner[:]), schema.MergeRequestByRequesterPrefix(owner),
			req.Msg.GetLimit(), req.Msg.GetCursor(), func(key, _ []byte) (*pb.MergeRequestSummary, error) {
				parsed, err := schema.ParseKey(key)
				if err != nil {
					return nil, err
				}
				row, err := load[pb.MergeRequestRow](snapshot, schema.MergeRequestKey(parsed.Project, parsed.ID))
				if err != nil || row == nil {
					return nil, err
				}
				return mergeRequest(parsed.Project, parsed.ID, row), nil
			})
		return connect.NewResponse(&pb.ListMergeRequestsByRequesterResponse{MergeRequests: requests, NextCursor: next}), err
	})
}

func mergeRequest(project, request ident.Hash, row *pb.MergeRequestRow) *pb.MergeRequestSummary {
	return &pb.MergeRequestSummary{
		RequestId: request[:], ProjectId: project[:], RequesterOwnerAddress: row.GetRequesterOwnerAddress(),
		SourceProjectId: row.GetSourceProjectId(), SourceRef: row.GetSourceRef(), SourceCommitHash: row.GetSourceCommitHash(),
		TargetRef: row.GetTargetRef(), Title: row.GetTitle(), AddedAt: row.GetTimestamp(),
	}
}
