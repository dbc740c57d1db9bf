package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
)

// GetAccountActivity lists the latest messages of an account, newest first.
func (s *Service) GetAccountActivity(_ context.Context, req *connect.Request[pb.GetAccountActivityRequest]) (*connect.Response[pb.GetAccountActivityResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	entries, err := s.activity(req.Msg.GetTypes(), func(snapshot Snapshot) ([]index.Entry, error) {
		return index.NewReader(snapshot).AccountActivity(owner, req.Msg.GetTypes(), limitOf(req.Msg.GetLimit()), index.Position{})
	})
	return connect.NewResponse(&pb.GetAccountActivityResponse{Messages: entries}), err
}

// GetProjectActivity lists the latest messages about a project, which may be removed, newest first.
func (s *Service) GetProjectActivity(_ context.Context, req *connect.Request[pb.GetProjectActivityRequest]) (*connect.Response[pb.GetProjectActivityResponse], error) {
	entries, err := s.activity(req.Msg.GetTypes(), func(snapshot Snapshot) ([]index.Entry, error) {
		project, _, err := existingProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		return index.NewReader(snapshot).ProjectActivity(project, req.Msg.GetTypes(), limitOf(req.Msg.GetLimit()), index.Position{})
	})
	return connect.NewResponse(&pb.GetProjectActivityResponse{Messages: entries}), err
}

// activity loads the messages whose positions find returns.
func (s *Service) activity(types []pb.MessageType, find func(Snapshot) ([]index.Entry, error)) ([]*pb.MessageEntry, error) {
	if err := typesField(types); err != nil {
		return nil, err
	}
	found, err := read(s, find)
	if err != nil {
		return nil, err
	}
	positions := make([]index.Position, len(found))
	for i, entry := range found {
		positions[i] = entry.Position
	}
	return s.entries(positions)
}
