package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// ListCollaborators lists the collaborators of a project by address.
func (s *Service) ListCollaborators(ctx context.Context, req *connect.Request[pb.ListCollaboratorsRequest]) (*connect.Response[pb.ListCollaboratorsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListCollaboratorsResponse], error) {
		id, err := servedProject(snapshot, req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		entries, next, err := readPage(snapshot, newListID("ListCollaborators", id[:]), schema.CollaboratorPrefix(id), req.Msg,
			func(key *schema.Key, row *pb.CollaboratorRow) (*pb.CollaboratorEntry, error) {
				return &pb.CollaboratorEntry{Permission: row.GetPermission(), OwnerAddress: key.Owner[:]}, nil
			})
		return connect.NewResponse(&pb.ListCollaboratorsResponse{Collaborators: entries, NextCursor: next}), err
	})
}
