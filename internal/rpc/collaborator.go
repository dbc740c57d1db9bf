package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// ListCollaborators lists the collaborators of a project by address.
func (s *Service) ListCollaborators(_ context.Context, req *connect.Request[pb.ListCollaboratorsRequest]) (*connect.Response[pb.ListCollaboratorsResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListCollaboratorsResponse], error) {
		id, err := servedProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		prefix := schema.CollaboratorPrefix(id)
		entries, next, err := pageOf(snapshot, listOf("ListCollaborators", id[:]), prefix, req.Msg.GetLimit(), req.Msg.GetCursor(),
			func(key, value []byte) (*pb.CollaboratorEntry, error) {
				var row pb.CollaboratorRow
				if err := schema.Decode(value, &row); err != nil {
					return nil, err
				}
				return &pb.CollaboratorEntry{Permission: row.GetPermission(), OwnerAddress: append([]byte(nil), key[len(prefix):]...)}, nil
			})
		return connect.NewResponse(&pb.ListCollaboratorsResponse{Collaborators: entries, NextCursor: next}), err
	})
}
