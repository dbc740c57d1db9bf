package rest

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// mayBeNull reports whether a key of a message may be null in a response.
func mayBeNull(message protoreflect.Name, key string) bool {
	return slices.Contains(nullableKeys(), string(message)+"."+key)
}

// nullableKeys returns the keys that may be null in a response, each with its message. The JSON form writes null for every empty
// value; these are the values that can be empty in the response of a node.
func nullableKeys() []string {
	return []string{
		"Message.data_bytes",

		// Bodies of messages: what P5 allows to be empty, and ref names that are not text. Verifications of Solana have no chain id.
		"AccountDataBody.value",
		"CommitBundleBody.content_digest", "CommitBundleBody.url",
		"CommitMeta.title", "CommitMeta.author_name",
		"KeychainAuthorizeBody.witness",
		"KeychainRevokeBody.witness",
		"LinkAddBody.target_project_id", "LinkAddBody.target_owner_address",
		"LinkRemoveBody.target_project_id", "LinkRemoveBody.target_owner_address",
		"MergeRequestAddBody.source_ref_text", "MergeRequestAddBody.target_ref_text", "MergeRequestAddBody.replaces",
		"MergeRequestRemoveBody.outcome", "MergeRequestRemoveBody.merge_commit",
		"ProjectCreateBody.description", "ProjectCreateBody.license",
		"ProjectMetadataBody.value",
		"RefDeleteBody.ref_name", "RefDeleteBody.expected_hash",
		"RefUpdateBody.ref_name", "RefUpdateBody.old_hash", "RefUpdateBody.tag_object", "RefUpdateBody.content_digest",
		"VerificationAddBody.chain_id",

		// Objects of the state. A removed project need not have a name; a ref log has creations and deletions.
		"AccountSummary.username", "AccountSummary.display_name", "AccountSummary.avatar",
		"GetAccountResponse.username", "GetAccountResponse.display_name", "GetAccountResponse.avatar", "GetAccountResponse.bio",
		"GetAccountResponse.website",
		"GetCommitResponse.content_digest", "GetCommitResponse.url",
		"GetProjectResponse.name", "GetProjectResponse.description", "GetProjectResponse.license", "GetProjectResponse.fork_source",
		"GetProjectResponse.default_branch",
		"GetRefResponse.ref_name", "GetRefResponse.tag_object",
		"LinkEntry.target_project_id", "LinkEntry.target_owner_address",
		"MergeRequestSummary.source_ref_text", "MergeRequestSummary.target_ref_text", "MergeRequestSummary.outcome",
		"MergeRequestSummary.merge_commit", "MergeRequestSummary.closer_owner_address", "MergeRequestSummary.replaces",
		"MergeRequestSummary.replaced_by",
		"RefLogEntry.old_hash", "RefLogEntry.new_hash", "RefLogEntry.tag_object",
		"VerificationEntry.chain_id",

		// Blocks and the node: the genesis has no finalization, and the state has one root for all projects.
		"Block.consensus_finalization",
		"ProjectTransaction.project_root",
		"ReplayVerificationInfo.detail",

		// Proofs: rows that do not exist, bounds at the ends of the state, and the reason why a proof is not valid.
		"CompactRangeProof.lower_key", "CompactRangeProof.lower_value_hash", "CompactRangeProof.upper_key", "CompactRangeProof.upper_value_hash",
		"CompactRangeProof.hashes", "CompactRangeProof.operations",
		"GetCompoundProofResponse.value",
		"GetRangeProofResponse.lower_bound_proof", "GetRangeProofResponse.upper_bound_proof",
		"GetStorageQuotaProofResponse.lower_bound_key", "GetStorageQuotaProofResponse.lower_bound_proof",
		"GetStorageQuotaProofResponse.upper_bound_key", "GetStorageQuotaProofResponse.upper_bound_proof",
		"GetStorageQuotaProofResponse.account_value", "GetStorageQuotaProofResponse.username_proof",
		"VerifyExclusionProofAtBlockResponse.error",
		"VerifyExclusionProofResponse.error",
		"VerifyOperationProofAtBlockResponse.error",
		"VerifyOperationProofResponse.error",
		"VerifyStorageQuotaProofResponse.error",

		// Refusals: absent for accepted messages. The hash is that of the submitted message, which in protobuf may have none.
		"BatchSubmitResult.hash", "BatchSubmitResult.stage", "BatchSubmitResult.code", "BatchSubmitResult.error",
		"DryRunMessageResponse.error_stage", "DryRunMessageResponse.code", "DryRunMessageResponse.error",
		"GetMessageStatusResponse.stage", "GetMessageStatusResponse.code", "GetMessageStatusResponse.error",
		"SubmitMessageResponse.hash", "SubmitMessageResponse.stage", "SubmitMessageResponse.code", "SubmitMessageResponse.error",
	}
}
