package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
)

// GetAccountActivity lists the messages of an account, newest first.
func (s *Service) GetAccountActivity(ctx context.Context, req *connect.Request[pb.GetAccountActivityRequest]) (*connect.Response[pb.GetAccountActivityResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	list := newListID("GetAccountActivity", owner[:], typesParameter(req.Msg.GetTypes()))
	entries, next, err := s.activity(ctx, list, req.Msg, func(snapshot Snapshot, limit int, before index.Position) ([]index.Entry, error) {
		return index.NewReader(snapshot).AccountActivity(owner, req.Msg.GetTypes(), limit, before)
	})
	return connect.NewResponse(&pb.GetAccountActivityResponse{Messages: entries, NextCursor: next}), err
}

// GetProjectActivity lists the messages about a project, which may be removed, newest first.
func (s *Service) GetProjectActivity(ctx context.Context, req *connect.Request[pb.GetProjectActivityRequest]) (*connect.Response[pb.GetProjectActivityResponse], error) {
	list := newListID("GetProjectActivity", req.Msg.GetProjectId(), typesParameter(req.Msg.GetTypes()))
	entries, next, err := s.activity(ctx, list, req.Msg, func(snapshot Snapshot, limit int, before index.Position) ([]index.Entry, error) {
		project, _, err := existingProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		return index.NewReader(snapshot).ProjectActivity(project, req.Msg.GetTypes(), limit, before)
	})
	return connect.NewResponse(&pb.GetProjectActivityResponse{Messages: entries, NextCursor: next}), err
}

// activityRequest is a request for a page of activity.
type activityRequest interface {
	pageRequest
	GetTypes() []pb.MessageType
}

// activity loads a page of the messages whose positions find returns. The cursor contains the position of the last one.
func (s *Service) activity(
	ctx context.Context, list listID, req activityRequest, find func(snapshot Snapshot, limit int, before index.Position) ([]index.Entry, error),
) (entries []*pb.MessageEntry, next []byte, err error) {
	if err := typesField(req.GetTypes()); err != nil {
		return nil, nil, err
	}
	before, err := list.position(req.GetCursor())
	if err != nil {
		return nil, nil, err
	}
	maxItems := limitOf(req.GetLimit())
	found, err := read(ctx, s, func(snapshot Snapshot) ([]index.Entry, error) {
		return find(snapshot, maxItems+1, before) // one more, to find out whether there is a next page
	})
	if err != nil {
		return nil, nil, err
	}
	positions := make([]index.Position, len(found))
	for i, entry := range found {
		positions[i] = entry.Position
	}
	entries, more, err := s.entries(ctx, positions, maxItems)
	if more {
		next = list.cursor(positions[len(entries)-1].Encode())
	}
	return entries, next, err
}
