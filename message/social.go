package message

import (
	"bytes"

	pb "makechain/gen/makechain"
)

// Follow returns a message that links the author to another account.
func Follow(target Address) *pb.MessageData {
	return linkAdd(&pb.LinkAddBody{
		LinkType: pb.LinkType_LINK_TYPE_FOLLOW,
		Target:   &pb.LinkAddBody_TargetOwnerAddress{TargetOwnerAddress: target[:]},
	})
}

// Unfollow returns a message that removes the link of Follow.
func Unfollow(target Address) *pb.MessageData {
	return linkRemove(&pb.LinkRemoveBody{
		LinkType: pb.LinkType_LINK_TYPE_FOLLOW,
		Target:   &pb.LinkRemoveBody_TargetOwnerAddress{TargetOwnerAddress: target[:]},
	})
}

// Star returns a message that links the author to a project.
func Star(project Hash) *pb.MessageData {
	return linkAdd(&pb.LinkAddBody{
		LinkType: pb.LinkType_LINK_TYPE_STAR,
		Target:   &pb.LinkAddBody_TargetProjectId{TargetProjectId: project[:]},
	})
}

// Unstar returns a message that removes the link of Star.
func Unstar(project Hash) *pb.MessageData {
	return linkRemove(&pb.LinkRemoveBody{
		LinkType: pb.LinkType_LINK_TYPE_STAR,
		Target:   &pb.LinkRemoveBody_TargetProjectId{TargetProjectId: project[:]},
	})
}

// Like returns a message that adds a reaction to a commit.
func Like(project, commit Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_REACTION_ADD,
		Body: &pb.MessageData_ReactionAdd{ReactionAdd: &pb.ReactionAddBody{
			ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: project[:], TargetCommitHash: commit[:],
		}},
	}
}

// Unlike returns a message that removes the reaction of Like.
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

// checkLink requires the target of the link's type. The schema allows at most one target, so no other is present.
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
