package message

import (
	"bytes"

	pb "makechain/gen/makechain"
)

// Follow links the author to another account.
func Follow(target Address) *pb.MessageData {
	return linkAdd(&pb.LinkAddBody{
		LinkType: pb.LinkType_LINK_TYPE_FOLLOW,
		Target:   &pb.LinkAddBody_TargetOwnerAddress{TargetOwnerAddress: target[:]},
	})
}

// Unfollow takes a Follow back.
func Unfollow(target Address) *pb.MessageData {
	return linkRemove(&pb.LinkRemoveBody{
		LinkType: pb.LinkType_LINK_TYPE_FOLLOW,
		Target:   &pb.LinkRemoveBody_TargetOwnerAddress{TargetOwnerAddress: target[:]},
	})
}

// Star links the author to a project.
func Star(project Hash) *pb.MessageData {
	return linkAdd(&pb.LinkAddBody{
		LinkType: pb.LinkType_LINK_TYPE_STAR,
		Target:   &pb.LinkAddBody_TargetProjectId{TargetProjectId: project[:]},
	})
}

// Unstar takes a Star back.
func Unstar(project Hash) *pb.MessageData {
	return linkRemove(&pb.LinkRemoveBody{
		LinkType: pb.LinkType_LINK_TYPE_STAR,
		Target:   &pb.LinkRemoveBody_TargetProjectId{TargetProjectId: project[:]},
	})
}

// Like reacts to a commit.
func Like(project, commit Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_REACTION_ADD,
		Body: &pb.MessageData_ReactionAdd{ReactionAdd: &pb.ReactionAddBody{
			ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: project[:], TargetCommitHash: commit[:],
		}},
	}
}

// Unlike takes a Like back.
func Unlike(project, commit Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_REACTION_REMOVE,
		Body: &pb.MessageData_ReactionRemove{ReactionRemove: &pb.ReactionRemoveBody{
			ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: project[:], TargetCommitHash: commit[:],
		}},
	}
}

func linkAdd(body *pb.LinkAddBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_LINK_ADD,
		Body: &pb.MessageData_LinkAdd{LinkAdd: body},
	}
}

func linkRemove(body *pb.LinkRemoveBody) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_LINK_REMOVE,
		Body: &pb.MessageData_LinkRemove{LinkRemove: body},
	}
}

// link is a LinkAddBody or a LinkRemoveBody: the rules are the same.
type link interface {
	GetLinkType() pb.LinkType
	GetTargetProjectId() []byte
	GetTargetOwnerAddress() []byte
}

// checkLink needs the target that belongs to the type. The schema allows one target at most, so the right
// one there means that no other is.
func checkLink[B link](f *fields, b B) {
	f.set("link_type", int32(b.GetLinkType()), pb.LinkType_name)
	switch b.GetLinkType() {
	case pb.LinkType_LINK_TYPE_FOLLOW:
		f.address("target_owner_address", b.GetTargetOwnerAddress())
		if bytes.Equal(b.GetTargetOwnerAddress(), f.Owner[:]) {
			f.refuse("target_owner_address", "the author itself, want another account")
		}
	case pb.LinkType_LINK_TYPE_STAR:
		f.hash("target_project_id", b.GetTargetProjectId())
	}
}

// reaction is a ReactionAddBody or a ReactionRemoveBody.
type reaction interface {
	GetReactionType() pb.ReactionType
	GetTargetProjectId() []byte
	GetTargetCommitHash() []byte
}

func checkReaction[B reaction](f *fields, b B) {
	f.set("reaction_type", int32(b.GetReactionType()), pb.ReactionType_name)
	f.hash("target_project_id", b.GetTargetProjectId())
	f.hash("target_commit_hash", b.GetTargetCommitHash())
}
