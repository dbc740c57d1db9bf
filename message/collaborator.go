package message

import (
	pb "makechain/gen/makechain"
)

// CollaboratorAdd returns a message that grants an account a permission on a project.
func CollaboratorAdd(project Hash, target Address, permission pb.Permission) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_COLLABORATOR_ADD,
		Body: &pb.MessageData_CollaboratorAdd{CollaboratorAdd: &pb.CollaboratorAddBody{
			ProjectId: project[:], Permission: permission, TargetOwnerAddress: target[:],
		}},
	}
}

// CollaboratorRemove returns a message that revokes an account's permission on a project.
func CollaboratorRemove(project Hash, target Address) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_COLLABORATOR_REMOVE,
		Body: &pb.MessageData_CollaboratorRemove{CollaboratorRemove: &pb.CollaboratorRemoveBody{
			ProjectId: project[:], TargetOwnerAddress: target[:],
		}},
	}
}

func checkCollaboratorAdd(f *fields, b *pb.CollaboratorAddBody) {
	f.hash("project_id", b.GetProjectId())
	f.known("permission", int32(b.GetPermission()), pb.Permission_name)
	f.address("target_owner_address", b.GetTargetOwnerAddress())
}

func checkCollaboratorRemove(f *fields, b *pb.CollaboratorRemoveBody) {
	f.hash("project_id", b.GetProjectId())
	f.address("target_owner_address", b.GetTargetOwnerAddress())
}
