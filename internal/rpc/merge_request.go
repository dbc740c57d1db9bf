package rpc

import (
	"bytes"
	"context"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetMergeRequest returns one merge request: an open one or, if the request asks for it, a closed one.
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
		if row != nil {
			return connect.NewResponse(&pb.GetMergeRequestResponse{MergeRequest: mergeRequest(project, request, row)}), nil
		}
		if !req.Msg.GetIncludeClosed() {
			return nil, notFound("project %s has no open merge request %s", project, request)
		}
		closed, err := load[pb.ClosedMergeRequestRow](snapshot, schema.ClosedMergeRequestKey(project, request))
		if err != nil {
			return nil, err
		}
		if closed == nil {
			return nil, notFound("project %s has no merge request %s", project, request)
		}
		return connect.NewResponse(&pb.GetMergeRequestResponse{MergeRequest: closedRequest(project, request, closed)}), nil
	})
}

// requestPage is a page of merge requests.
type requestPage struct {
	requests []*pb.MergeRequestSummary
	next     []byte
}

// requestList is a list of open merge requests, or of closed ones.
type requestList struct {
	prefix []byte // of the keys, and so of the cursors
	read   func(snapshot Snapshot, l listID, req pageRequest) ([]*pb.MergeRequestSummary, []byte, error)
}

// readRequests reads a page of a list, and of another one after it. A request that is closed between two pages may be in both.
func readRequests(snapshot Snapshot, l listID, req pageRequest, open requestList, closed *requestList) (page requestPage, err error) {
	rest := &pb.ListMergeRequestsRequest{Limit: uint32(limitOf(req.GetLimit())), Cursor: req.GetCursor()}
	inClosed := closed != nil && bytes.HasPrefix(rest.GetCursor(), l.cursor(closed.prefix))
	if !inClosed {
		page.requests, page.next, err = open.read(snapshot, l, rest)
		if err != nil || len(page.next) > 0 || closed == nil {
			return page, err
		}
		rest.Cursor = nil
		rest.Limit -= uint32(len(page.requests))
	}
	if rest.GetLimit() == 0 { // the page is full: is there another one?
		rest.Limit = 1
		first, next, err := closed.read(snapshot, l, rest)
		if page.next = next; len(first) > 0 {
			page.next = l.cursor(closed.prefix)
		}
		return page, err
	}
	more, next, err := closed.read(snapshot, l, rest)
	return requestPage{append(page.requests, more...), next}, err
}

// ListMergeRequests lists the open merge requests of a project by id, all or those of one requester, and then the closed ones if
// the request asks for them. Those of a removed project are listed because they can still be withdrawn (P9.8).
func (s *Service) ListMergeRequests(ctx context.Context, req *connect.Request[pb.ListMergeRequestsRequest]) (*connect.Response[pb.ListMergeRequestsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListMergeRequestsResponse], error) {
		id, _, err := existingProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		l, open := newListID("ListMergeRequests", id[:], flagParameter(req.Msg.GetIncludeClosed())), openTo(id)
		if len(req.Msg.GetRequesterOwnerAddress()) > 0 {
			requester, err := addressField("requester_owner_address", req.Msg.GetRequesterOwnerAddress())
			if err != nil {
				return nil, err
			}
			l = newListID("ListMergeRequests", id[:], flagParameter(req.Msg.GetIncludeClosed()), requester[:])
			open = openBy(append(schema.MergeRequestByRequesterPrefix(requester), id[:]...))
		}
		var closed *requestList
		if req.Msg.GetIncludeClosed() {
			closed = closedTo(id, req.Msg.GetRequesterOwnerAddress())
		}
		page, err := readRequests(snapshot, l, req.Msg, open, closed)
		return connect.NewResponse(&pb.ListMergeRequestsResponse{MergeRequests: page.requests, NextCursor: page.next}), err
	})
}

// openTo returns the open merge requests of a project.
func openTo(project ident.Hash) requestList {
	prefix := schema.MergeRequestPrefix(project)
	return requestList{prefix, func(snapshot Snapshot, l listID, req pageRequest) ([]*pb.MergeRequestSummary, []byte, error) {
		return readPage(snapshot, l, prefix, req, func(key *schema.Key, row *pb.MergeRequestRow) (*pb.MergeRequestSummary, error) {
			return mergeRequest(project, key.ID, row), nil
		})
	}}
}

// closedTo returns the closed merge requests of a project by id, all or those of one requester. It reads rows of the state root
// only, so that a client can verify the list.
func closedTo(project ident.Hash, requester []byte) *requestList {
	prefix := schema.ClosedMergeRequestPrefix(project)
	return &requestList{prefix, func(snapshot Snapshot, l listID, req pageRequest) ([]*pb.MergeRequestSummary, []byte, error) {
		return readPage(snapshot, l, prefix, req, func(key *schema.Key, row *pb.ClosedMergeRequestRow) (*pb.MergeRequestSummary, error) {
			if len(requester) > 0 && !bytes.Equal(requester, row.GetRequesterOwnerAddress()) {
				return nil, nil
			}
			return closedRequest(project, key.ID, row), nil
		})
	}}
}

// ListMergeRequestsByRequester lists the open merge requests of an account, by project and id, and then the closed ones, newest
// first, if the request asks for them.
func (s *Service) ListMergeRequestsByRequester(ctx context.Context, req *connect.Request[pb.ListMergeRequestsByRequesterRequest]) (*connect.Response[pb.ListMergeRequestsByRequesterResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListMergeRequestsByRequesterResponse], error) {
		l := newListID("ListMergeRequestsByRequester", owner[:], flagParameter(req.Msg.GetIncludeClosed()))
		var closed *requestList
		if req.Msg.GetIncludeClosed() {
			closed = closedBy(owner)
		}
		page, err := readRequests(snapshot, l, req.Msg, openBy(schema.MergeRequestByRequesterPrefix(owner)), closed)
		return connect.NewResponse(&pb.ListMergeRequestsByRequesterResponse{MergeRequests: page.requests, NextCursor: page.next}), err
	})
}

// openBy returns open merge requests by the rows of their requesters.
func openBy(prefix []byte) requestList {
	return requestList{prefix, func(snapshot Snapshot, l listID, req pageRequest) ([]*pb.MergeRequestSummary, []byte, error) {
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
	}}
}

// closedBy returns the closed merge requests of a requester, newest first.
func closedBy(requester ident.Address) *requestList {
	prefix := schema.ClosedByRequesterPrefix(requester)
	return &requestList{prefix, func(snapshot Snapshot, l listID, req pageRequest) ([]*pb.MergeRequestSummary, []byte, error) {
		return readKeys(snapshot, l, prefix, req, func(derived, _ []byte) (*pb.MergeRequestSummary, error) {
			closed, err := schema.ParseClosedByRequesterKey(derived)
			if err != nil {
				return nil, err
			}
			key, err := schema.ParseKey(closed)
			if err != nil {
				return nil, err
			}
			row, err := load[pb.ClosedMergeRequestRow](snapshot, closed)
			if err != nil {
				return nil, err
			}
			if row == nil {
				return nil, fmt.Errorf("closed merge request %s of project %s has no row", key.ID, key.Project)
			}
			return closedRequest(key.Project, key.ID, row), nil
		})
	}}
}

func mergeRequest(project, request ident.Hash, row *pb.MergeRequestRow) *pb.MergeRequestSummary {
	return &pb.MergeRequestSummary{
		RequestId: request[:], ProjectId: project[:], RequesterOwnerAddress: row.GetRequesterOwnerAddress(),
		SourceProjectId: row.GetSourceProjectId(), SourceRef: row.GetSourceRef(), SourceCommitHash: row.GetSourceCommitHash(),
		TargetRef: row.GetTargetRef(), Title: row.GetTitle(), AddedAt: row.GetTimestamp(), Replaces: row.GetReplaces(),
	}
}

func closedRequest(project, request ident.Hash, row *pb.ClosedMergeRequestRow) *pb.MergeRequestSummary {
	return &pb.MergeRequestSummary{
		RequestId: request[:], ProjectId: project[:], RequesterOwnerAddress: row.GetRequesterOwnerAddress(),
		SourceProjectId: row.GetSourceProjectId(), SourceRef: row.GetSourceRef(), SourceCommitHash: row.GetSourceCommitHash(),
		TargetRef: row.GetTargetRef(), Title: row.GetTitle(), AddedAt: row.GetAddedAt(), Replaces: row.GetReplaces(),
		Outcome: row.GetOutcome(), MergeCommit: row.GetMergeCommit(), CloserOwnerAddress: row.GetCloserOwnerAddress(),
		ClosedAt: row.GetClosedAt(), ClosedBlock: row.GetBlockNumber(), ReplacedBy: row.GetReplacedBy(),
	}
}
