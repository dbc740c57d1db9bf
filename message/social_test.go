package message

import (
	"testing"

	pb "makechain/gen/makechain"
)

// TestLinkBounds checks the field limits of LINK_ADD.
//
// Rules: P5/LINK_ADD.
func TestLinkBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.LinkAddBody
	owner := testAuthor(t).Owner()
	account := func(address []byte) func(body) {
		return func(b body) { b.Target = &pb.LinkAddBody_TargetOwnerAddress{TargetOwnerAddress: address} }
	}
	project := func(id []byte) func(body) {
		return func(b body) { b.Target = &pb.LinkAddBody_TargetProjectId{TargetProjectId: id} }
	}
	checkBounds(t, func() *pb.MessageData { return Follow(stranger) }, (*pb.MessageData).GetLinkAdd, []bound[body]{
		{"no type", func(b body) { b.LinkType = 0 }, "link_add.link_type: not set"},
		{"unknown type", func(b body) { b.LinkType = 3 }, "link_add.link_type: 3 is not a known value"},
		{"follow nothing", func(b body) { b.Target = nil }, "link_add.target_owner_address: 0 bytes, want 20"},
		{"follow an empty address", account(nil), "link_add.target_owner_address: 0 bytes, want 20"},
		{"follow a short address", account(stranger[1:]), "link_add.target_owner_address: 19 bytes, want 20"},
		{"follow a project", project(projectID[:]), "link_add.target_owner_address: 0 bytes, want 20"},
		{"follow oneself", account(owner[:]), "link_add.target_owner_address: the author itself, want another account"},
		{"star an account", func(b body) { b.LinkType = 2 }, "link_add.target_project_id: 0 bytes, want 32"},
	})
	checkBounds(t, func() *pb.MessageData { return Star(projectID) }, (*pb.MessageData).GetLinkAdd, []bound[body]{
		{"star nothing", func(b body) { b.Target = nil }, "link_add.target_project_id: 0 bytes, want 32"},
		{"star a short id", project(projectID[1:]), "link_add.target_project_id: 31 bytes, want 32"},
		{"star another account", account(stranger[:]), "link_add.target_project_id: 0 bytes, want 32"},
	})
}

// TestUnlinkBounds checks the field limits of LINK_REMOVE.
//
// Rules: P5/LINK_REMOVE.
func TestUnlinkBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.LinkRemoveBody
	owner := testAuthor(t).Owner()
	checkBounds(t, func() *pb.MessageData { return Unfollow(stranger) }, (*pb.MessageData).GetLinkRemove, []bound[body]{
		{"no type", func(b body) { b.LinkType = 0 }, "link_remove.link_type: not set"},
		{"nothing", func(b body) { b.Target = nil }, "link_remove.target_owner_address: 0 bytes, want 20"},
		{
			"oneself", func(b body) { b.GetTarget().(*pb.LinkRemoveBody_TargetOwnerAddress).TargetOwnerAddress = owner[:] },
			"link_remove.target_owner_address: the author itself, want another account",
		},
		{"star", func(b body) { b.LinkType = 2 }, "link_remove.target_project_id: 0 bytes, want 32"},
	})
	checkBounds(t, func() *pb.MessageData { return Unstar(projectID) }, (*pb.MessageData).GetLinkRemove, []bound[body]{
		{"follow a project", func(b body) { b.LinkType = 1 }, "link_remove.target_owner_address: 0 bytes, want 20"},
	})
}

// TestReactionBounds checks the field limits of REACTION_ADD and REACTION_REMOVE.
//
// Rules: P5/REACTION_ADD, P5/REACTION_REMOVE.
func TestReactionBounds(t *testing.T) {
	t.Parallel()
	type add = *pb.ReactionAddBody
	checkBounds(t, func() *pb.MessageData { return Like(projectID, commitID) }, (*pb.MessageData).GetReactionAdd, []bound[add]{
		{"no type", func(b add) { b.ReactionType = 0 }, "reaction_add.reaction_type: not set"},
		{"unknown type", func(b add) { b.ReactionType = 2 }, "reaction_add.reaction_type: 2 is not a known value"},
		{"no project", func(b add) { b.TargetProjectId = nil }, "reaction_add.target_project_id: 0 bytes, want 32"},
		{"no commit", func(b add) { b.TargetCommitHash = nil }, "reaction_add.target_commit_hash: 0 bytes, want 32"},
	})
	type remove = *pb.ReactionRemoveBody
	checkBounds(t, func() *pb.MessageData { return Unlike(projectID, commitID) }, (*pb.MessageData).GetReactionRemove, []bound[remove]{
		{"remove: no type", func(b remove) { b.ReactionType = 0 }, "reaction_remove.reaction_type: not set"},
		{"remove: no project", func(b remove) { b.TargetProjectId = nil }, "reaction_remove.target_project_id: 0 bytes, want 32"},
		{"remove: long commit", func(b remove) { b.TargetCommitHash = make([]byte, 33) }, "reaction_remove.target_commit_hash: 33 bytes, want 32"},
	})
}
