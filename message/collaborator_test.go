package message

import (
	"testing"

	pb "makechain/gen/makechain"
)

// TestCollaboratorBounds checks the field limits of COLLABORATOR_ADD and COLLABORATOR_REMOVE.
//
// Rules: P5/COLLABORATOR_ADD, P5/COLLABORATOR_REMOVE.
func TestCollaboratorBounds(t *testing.T) {
	t.Parallel()
	type add = *pb.CollaboratorAddBody
	permission := func(p pb.Permission) func(add) { return func(b add) { b.Permission = p } }
	checkBounds(t, func() *pb.MessageData { return CollaboratorAdd(projectID, stranger, 0) }, (*pb.MessageData).GetCollaboratorAdd, []bound[add]{
		{"no project", func(b add) { b.ProjectId = nil }, "collaborator_add.project_id: 0 bytes, want 32"},
		{"no target", func(b add) { b.TargetOwnerAddress = nil }, "collaborator_add.target_owner_address: 0 bytes, want 20"},
		{"short target", func(b add) { b.TargetOwnerAddress = stranger[1:] }, "collaborator_add.target_owner_address: 19 bytes, want 20"},
		{"write", permission(1), ""},
		{"admin", permission(2), ""},
		{"owner", permission(3), ""},
		{"unknown permission", permission(4), "collaborator_add.permission: 4 is not a known value"},
		{"negative permission", permission(-1), "collaborator_add.permission: -1 is not a known value"},
	})
	type remove = *pb.CollaboratorRemoveBody
	checkBounds(t, func() *pb.MessageData { return CollaboratorRemove(projectID, stranger) }, (*pb.MessageData).GetCollaboratorRemove, []bound[remove]{
		{"remove: no project", func(b remove) { b.ProjectId = nil }, "collaborator_remove.project_id: 0 bytes, want 32"},
		{"remove: long target", func(b remove) { b.TargetOwnerAddress = projectID[:] }, "collaborator_remove.target_owner_address: 32 bytes, want 20"},
	})
}
