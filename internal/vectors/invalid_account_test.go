package vectors

import (
	"encoding/hex"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/message"
)

func invalidCollaboration(good *bodies, refuse refuse) {
	add := func(change func(*pb.CollaboratorAddBody)) *pb.MessageData { return edit(good.collaboratorAdd, change) }
	refuse("collaborator_add.project_id", "empty", add(func(b *pb.CollaboratorAddBody) { b.ProjectId = nil }))
	refuse("collaborator_add.permission", "4", add(func(b *pb.CollaboratorAddBody) { b.Permission = 4 }))
	refuse("collaborator_add.target_owner_address", "32 bytes", add(func(b *pb.CollaboratorAddBody) { b.TargetOwnerAddress = make([]byte, 32) }))
	refuse("collaborator_remove.target_owner_address", "empty",
		edit(good.collaboratorRemove, func(b *pb.CollaboratorRemoveBody) { b.TargetOwnerAddress = nil }))

	request := func(change func(*pb.MergeRequestAddBody)) *pb.MessageData { return edit(good.mergeRequestAdd, change) }
	refuse("merge_request_add.project_id", "31 bytes", request(func(b *pb.MergeRequestAddBody) { b.ProjectId = make([]byte, 31) }))
	refuse("merge_request_add.source_project_id", "the target itself", request(func(b *pb.MergeRequestAddBody) { b.SourceProjectId = b.ProjectId }))
	refuse("merge_request_add.source_ref", "empty", request(func(b *pb.MergeRequestAddBody) { b.SourceRef = nil }))
	refuse("merge_request_add.source_commit_hash", "empty", request(func(b *pb.MergeRequestAddBody) { b.SourceCommitHash = nil }))
	refuse("merge_request_add.target_ref", "255 bytes", request(func(b *pb.MergeRequestAddBody) { b.TargetRef = []byte(filler(255)) }))
	refuse("merge_request_add.title", "empty", request(func(b *pb.MergeRequestAddBody) { b.Title = "" }))
	refuse("merge_request_add.title", "201 bytes", request(func(b *pb.MergeRequestAddBody) { b.Title = filler(201) }))
	refuse("merge_request_add.replaces", "31 bytes", request(func(b *pb.MergeRequestAddBody) { b.Replaces = make([]byte, 31) }))
	closing := func(outcome pb.MergeRequestOutcome, commit []byte) *pb.MessageData {
		return edit(good.mergeRequestRemove, func(b *pb.MergeRequestRemoveBody) { b.Outcome, b.MergeCommit = outcome, commit })
	}
	refuse("merge_request_remove.outcome", "SUPERSEDED", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED, nil))
	refuse("merge_request_remove.outcome", "unknown", closing(5, nil))
	refuse("merge_request_remove.merge_commit", "20 bytes", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, make([]byte, 20)))
	refuse("merge_request_remove.merge_commit", "of a declined one", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_DECLINED, make([]byte, 32)))
	refuse("merge_request_remove.merge_commit", "without an outcome", closing(pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED, make([]byte, 32)))
	refuse("merge_request_remove.request_id", "20 bytes",
		edit(good.mergeRequestRemove, func(b *pb.MergeRequestRemoveBody) { b.RequestId = make([]byte, 20) }))
}

func invalidAccounts(good *bodies, refuse refuse) {
	refuse("account_data.field", "not set", message.AccountData(0, "x"))
	refuse("account_data.field", "5", message.AccountData(5, "x"))
	refuse("account_data.value", "display name of 33 bytes", message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, filler(33)))
	refuse("account_data.value", "bio of 501 bytes", message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, filler(501)))
	for _, bad := range []struct{ name, value string }{
		{"empty", ""},
		{"two letters", "ab"},
		{"33 letters", filler(33)},
		{"upper case", "Alice"},
		{"hyphen first", "-alice"},
		{"hyphen last", "alice-"},
		{"dot", "a.b"},
		{"letter outside of ASCII", "älice"},
	} {
		refuse("username_create.username", bad.name, message.UsernameCreate(bad.value))
	}
	refuse("username_update.username", "space", message.UsernameUpdate("ali ce"))

	eth := func(change func(*pb.VerificationAddBody)) *pb.MessageData { return edit(good.ethVerification, change) }
	refuse("verification_add.verification_type", "not set", eth(func(b *pb.VerificationAddBody) { b.VerificationType = 0 }))
	refuse("verification_add.verification_type", "3", eth(func(b *pb.VerificationAddBody) { b.VerificationType = 3 }))
	refuse("verification_add.address", "ETH, 32 bytes", eth(func(b *pb.VerificationAddBody) { b.Address = make([]byte, 32) }))
	refuse("verification_add.chain_id", "another chain", eth(func(b *pb.VerificationAddBody) { b.ChainId = []byte{0x10, 0x79} }))
	refuse("verification_add.chain_id", "leading zero", eth(func(b *pb.VerificationAddBody) { b.ChainId = append([]byte{0}, b.ChainId...) }))
	refuse("verification_add.chain_id", "ETH, empty", eth(func(b *pb.VerificationAddBody) { b.ChainId = nil }))
	refuse("verification_add.claim_signature", "ETH, empty", eth(func(b *pb.VerificationAddBody) { b.ClaimSignature = nil }))
	refuse("verification_add.claim_signature", "ETH, no known form", eth(func(b *pb.VerificationAddBody) { b.ClaimSignature = make([]byte, 64) }))
	refuse("verification_add.claim_signature", "ETH, in a wrapper", eth(func(b *pb.VerificationAddBody) {
		b.ClaimSignature = custody.Wrap(someAddress("anyone"), b.ClaimSignature)
	}))
	sol := func(change func(*pb.VerificationAddBody)) *pb.MessageData { return edit(good.solVerification, change) }
	refuse("verification_add.address", "SOL, 20 bytes", sol(func(b *pb.VerificationAddBody) { b.Address = make([]byte, 20) }))
	for _, key := range smallOrderKeys() {
		refuse("verification_add.address", "SOL, small order "+hex.EncodeToString(key), sol(func(b *pb.VerificationAddBody) { b.Address = key }))
	}
	refuse("verification_add.chain_id", "SOL, not empty", sol(func(b *pb.VerificationAddBody) { b.ChainId = []byte{1} }))
	refuse("verification_add.claim_signature", "SOL, 65 bytes", sol(func(b *pb.VerificationAddBody) { b.ClaimSignature = make([]byte, 65) }))
	refuse("verification_remove.address", "empty", message.VerificationRemove(nil))
	refuse("verification_remove.address", "129 bytes", message.VerificationRemove(make([]byte, 129)))
}

func invalidSocial(good *bodies, refuse refuse) {
	follow := func(change func(*pb.LinkAddBody)) *pb.MessageData { return edit(good.follow, change) }
	refuse("link_add.link_type", "not set", follow(func(b *pb.LinkAddBody) { b.LinkType = 0 }))
	refuse("link_add.link_type", "3", follow(func(b *pb.LinkAddBody) { b.LinkType = 3 }))
	refuse("link_add.target_owner_address", "no target", follow(func(b *pb.LinkAddBody) { b.Target = nil }))
	refuse("link_add.target_owner_address", "follow of a project", follow(func(b *pb.LinkAddBody) {
		b.Target = &pb.LinkAddBody_TargetProjectId{TargetProjectId: make([]byte, 32)}
	}))
	refuse("link_add.target_owner_address", "empty but there", follow(func(b *pb.LinkAddBody) {
		b.Target = &pb.LinkAddBody_TargetOwnerAddress{}
	}))
	refuse("link_remove.target_project_id", "unstar of an account", edit(good.unstar, func(b *pb.LinkRemoveBody) {
		b.Target = &pb.LinkRemoveBody_TargetOwnerAddress{TargetOwnerAddress: make([]byte, 20)}
	}))
	like := func(change func(*pb.ReactionAddBody)) *pb.MessageData { return edit(good.like, change) }
	refuse("reaction_add.reaction_type", "not set", like(func(b *pb.ReactionAddBody) { b.ReactionType = 0 }))
	refuse("reaction_add.target_project_id", "empty", like(func(b *pb.ReactionAddBody) { b.TargetProjectId = nil }))
	refuse("reaction_add.target_commit_hash", "31 bytes", like(func(b *pb.ReactionAddBody) { b.TargetCommitHash = make([]byte, 31) }))
	refuse("reaction_remove.reaction_type", "2", edit(good.unlike, func(b *pb.ReactionRemoveBody) { b.ReactionType = 2 }))
}

func invalidStorage(good *bodies, refuse refuse) {
	claim := func(change func(*pb.StorageClaimBody)) *pb.MessageData { return edit(good.storageClaim, change) }
	refuse("storage_claim.units", "0", claim(func(b *pb.StorageClaimBody) { b.Units = 0 }))
	refuse("storage_claim.settlement_tx_hash", "empty", claim(func(b *pb.StorageClaimBody) { b.SettlementTxHash = nil }))
	refuse("storage_claim.settlement_chain_id", "no chain", claim(func(b *pb.StorageClaimBody) { b.SettlementChainId = 0 }))
	refuse("storage_claim.actor", "21 bytes", claim(func(b *pb.StorageClaimBody) { b.Actor = make([]byte, 21) }))
	refuse("storage_claim.settlement_timestamp", "grant would end after 2106", claim(func(b *pb.StorageClaimBody) {
		b.SettlementTimestamp = 1<<32 - message.StorageTerm
	}))
	refuse("storage_claim.attestations", "none", claim(func(b *pb.StorageClaimBody) { b.Attestations = nil }))
	refuse("storage_claim.attestations", "65", claim(func(b *pb.StorageClaimBody) {
		b.Attestations = make([]*pb.SettlementAttestation, 65)
		for i := range b.Attestations {
			b.Attestations[i] = new(pb.SettlementAttestation)
		}
	}))
	refuse("storage_claim.attestations[1].attester", "twice", claim(func(b *pb.StorageClaimBody) { b.Attestations[1] = b.Attestations[0] }))
	refuse("storage_claim.attestations[0].signature", "63 bytes", claim(func(b *pb.StorageClaimBody) { b.Attestations[0].Signature = make([]byte, 63) }))
}
