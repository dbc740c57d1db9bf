// The values of the state rows, so that clients can decode proven rows.
//
// The key of a row identifies its kind (docs/spec/protocol.md, P7); its value is the canonical encoding of the
// message here. A row whose fields are all zero is not stored. Every row that can have a tombstone or a
// prune marker has its timestamp as field 1, as do these two, so that a verifier can compare them for any
// kind of row.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_account } from "./account_pb.js";
import { file_makechain_collaborator } from "./collaborator_pb.js";
import { file_makechain_custody } from "./custody_pb.js";
import { file_makechain_merge_request } from "./merge_request_pb.js";
import { file_makechain_ref } from "./ref_pb.js";
/**
 * Describes the file makechain/state.proto.
 */
export const file_makechain_state = /*@__PURE__*/ fileDesc("ChVtYWtlY2hhaW4vc3RhdGUucHJvdG8SCW1ha2VjaGFpbiJCCgxUb21ic3RvbmVSb3cSEQoJdGltZXN0YW1wGAEgASgNEh8KF3JlcXVlc3Rlcl9vd25lcl9hZGRyZXNzGA8gASgMIs4CCgpBY2NvdW50Um93EhUKDWN1c3RvZHlfbm9uY2UYASABKAQSEAoIdXNlcm5hbWUYAiABKAkSHAoUdXNlcm5hbWVfbGFzdF9zZXRfYXQYAyABKA0SFQoNc3RvcmFnZV91bml0cxgEIAEoDRITCgtuZXh0X2V4cGlyeRgFIAEoDRIVCg1wcm9qZWN0X2NvdW50GAYgASgNEhEKCWtleV9jb3VudBgHIAEoDRIbChNtZXJnZV9yZXF1ZXN0X2NvdW50GAggASgNEhUKDXVuaXRzX2dyYW50ZWQYCSABKA0SGAoQcHJvamVjdHNfY3JlYXRlZBgKIAEoBBIZChFjdXN0b2R5X2tleV9jb3VudBgMIAEoDRIlCh1tZXJnZV9yZXF1ZXN0X3RvbWJzdG9uZV9jb3VudBgNIAEoDRITCgtncmFudF9jb3VudBgOIAEoDSI2ChJBY2NvdW50TWV0YWRhdGFSb3cSEQoJdGltZXN0YW1wGAEgASgNEg0KBXZhbHVlGAIgASgJIoABCg9EZWxlZ2F0ZWRLZXlSb3cSIgoFc2NvcGUYASABKA4yEy5tYWtlY2hhaW4uS2V5U2NvcGUSGAoQYWxsb3dlZF9wcm9qZWN0cxgCIAMoDBIQCghhZGRlZF9hdBgDIAEoDRIdChVyZXF1ZXN0X293bmVyX2FkZHJlc3MYBCABKAwi0gEKDUN1c3RvZHlLZXlSb3cSNwoOc2lnbmF0dXJlX3R5cGUYASABKA4yHy5tYWtlY2hhaW4uQ3VzdG9keVNpZ25hdHVyZVR5cGUSEgoKcHVibGljX2tleRgCIAEoDBINCgVhZG1pbhgDIAEoCBISCgpleHBpcmVzX2F0GAQgASgEEhAKCGFkZGVkX2F0GAUgASgNEhIKCnJldm9rZWRfYXQYBiABKA0SKwoGc3RhdHVzGAcgASgOMhsubWFrZWNoYWluLkN1c3RvZHlLZXlTdGF0dXMiJAoLS2V5T3duZXJSb3cSFQoNb3duZXJfYWRkcmVzcxgBIAEoDCIkCgtVc2VybmFtZVJvdxIVCg1vd25lcl9hZGRyZXNzGAEgASgMIm4KD1ZlcmlmaWNhdGlvblJvdxIRCgl0aW1lc3RhbXAYASABKA0SNgoRdmVyaWZpY2F0aW9uX3R5cGUYAiABKA4yGy5tYWtlY2hhaW4uVmVyaWZpY2F0aW9uVHlwZRIQCghjaGFpbl9pZBgDIAEoDCLpAwoKUHJvamVjdFJvdxIVCg1vd25lcl9hZGRyZXNzGAEgASgMEigKBnN0YXR1cxgCIAEoDjIYLm1ha2VjaGFpbi5Qcm9qZWN0U3RhdHVzEhIKCmNyZWF0ZWRfYXQYAyABKA0SEwoLZm9ya19zb3VyY2UYBCABKAwSEQoJcmVmX2NvdW50GAUgASgNEhsKE3JlZl90b21ic3RvbmVfY291bnQYBiABKA0SFAoMY29tbWl0X2NvdW50GAcgASgNEhoKEmNvbGxhYm9yYXRvcl9jb3VudBgIIAEoDRIkChxjb2xsYWJvcmF0b3JfdG9tYnN0b25lX2NvdW50GAkgASgNEhsKE21lcmdlX3JlcXVlc3RfY291bnQYCiABKA0SJQodbWVyZ2VfcmVxdWVzdF90b21ic3RvbmVfY291bnQYCyABKA0SFwoPY29tbWl0X3BydW5lX2F0GAwgASgNEh8KF3BydW5lZF9idW5kbGVfdGltZXN0YW1wGA0gASgNEhUKDWNvbnRlbnRfY291bnQYDiABKA0SDQoFc3dlcHQYDyABKAgSIQoZY29sbGFib3JhdG9yX21hcmtlcl9jb3VudBgRIAEoDRIiChpjbG9zZWRfbWVyZ2VfcmVxdWVzdF9jb3VudBgSIAEoDSI2ChJQcm9qZWN0TWV0YWRhdGFSb3cSEQoJdGltZXN0YW1wGAEgASgNEg0KBXZhbHVlGAIgASgJIiQKDlByb2plY3ROYW1lUm93EhIKCnByb2plY3RfaWQYASABKAwigQEKBlJlZlJvdxIRCgl0aW1lc3RhbXAYASABKA0SJAoIcmVmX3R5cGUYAiABKA4yEi5tYWtlY2hhaW4uUmVmVHlwZRIMCgRoYXNoGAMgASgMEg0KBW5vbmNlGAQgASgEEg0KBWZsb29yGAUgASgNEhIKCnRhZ19vYmplY3QYBiABKAwirgIKCUNvbW1pdFJvdxIPCgdwYXJlbnRzGAEgAygMEhEKCXRyZWVfcm9vdBgCIAEoDBIYChBhdXRob3JfdGltZXN0YW1wGAMgASgNEg0KBXRpdGxlGAQgASgJEhQKDG1lc3NhZ2VfaGFzaBgFIAEoDBIWCg5hdXRob3JfYWRkcmVzcxgGIAEoDBIWCg5jb250ZW50X2RpZ2VzdBgHIAEoDBIUCgxibG9ja19udW1iZXIYCSABKAQSGAoQYnVuZGxlX3RpbWVzdGFtcBgKIAEoDRITCgthdXRob3JfbmFtZRgLIAEoCRISCgpnZW5lcmF0aW9uGBQgASgNEg0KBWRlcHRoGBUgASgNEgwKBGp1bXAYFiABKAwSEgoKanVtcF9kZXB0aBgXIAEoDUoECAgQCSJPCg9Db2xsYWJvcmF0b3JSb3cSEQoJdGltZXN0YW1wGAEgASgNEikKCnBlcm1pc3Npb24YAiABKA4yFS5tYWtlY2hhaW4uUGVybWlzc2lvbiIcCgdMaW5rUm93EhEKCXRpbWVzdGFtcBgBIAEoDSIgCgtSZWFjdGlvblJvdxIRCgl0aW1lc3RhbXAYASABKA0iGwoKQ291bnRlclJvdxINCgVjb3VudBgBIAEoDSIjCg5QcnVuZU1hcmtlclJvdxIRCgl0aW1lc3RhbXAYASABKA0iLwoPU3RvcmFnZUdyYW50Um93Eg0KBXVuaXRzGAEgASgNEg0KBWFjdG9yGAIgASgMIiEKCENsYWltUm93EhUKDW93bmVyX2FkZHJlc3MYASABKAwiRgoNRm9ya1BhcmVudFJvdxIZChFzb3VyY2VfcHJvamVjdF9pZBgBIAEoDBIaChJzb3VyY2VfY29tbWl0X2hhc2gYAiABKAwixQEKD01lcmdlUmVxdWVzdFJvdxIRCgl0aW1lc3RhbXAYASABKA0SHwoXcmVxdWVzdGVyX293bmVyX2FkZHJlc3MYAiABKAwSGQoRc291cmNlX3Byb2plY3RfaWQYAyABKAwSEgoKc291cmNlX3JlZhgEIAEoDBIaChJzb3VyY2VfY29tbWl0X2hhc2gYBSABKAwSEgoKdGFyZ2V0X3JlZhgGIAEoDBINCgV0aXRsZRgHIAEoCRIQCghyZXBsYWNlcxgIIAEoDCLtAgoVQ2xvc2VkTWVyZ2VSZXF1ZXN0Um93EhQKDGJsb2NrX251bWJlchgBIAEoBBIQCghhZGRlZF9hdBgCIAEoDRIRCgljbG9zZWRfYXQYAyABKA0SHwoXcmVxdWVzdGVyX293bmVyX2FkZHJlc3MYBCABKAwSGQoRc291cmNlX3Byb2plY3RfaWQYBSABKAwSEgoKc291cmNlX3JlZhgGIAEoDBIaChJzb3VyY2VfY29tbWl0X2hhc2gYByABKAwSEgoKdGFyZ2V0X3JlZhgIIAEoDBINCgV0aXRsZRgJIAEoCRIQCghyZXBsYWNlcxgKIAEoDBIvCgdvdXRjb21lGAsgASgOMh4ubWFrZWNoYWluLk1lcmdlUmVxdWVzdE91dGNvbWUSFAoMbWVyZ2VfY29tbWl0GAwgASgMEhwKFGNsb3Nlcl9vd25lcl9hZGRyZXNzGA0gASgMEhMKC3JlcGxhY2VkX2J5GA4gASgMIi8KGk1lcmdlUmVxdWVzdEJ5UmVxdWVzdGVyUm93EhEKCXRpbWVzdGFtcBgBIAEoDSJQCg1WYWxpZGF0b3JzUm93EhAKCHNlcXVlbmNlGAEgASgEEi0KCnZhbGlkYXRvcnMYAiADKAsyGS5tYWtlY2hhaW4uVmFsaWRhdG9yRW50cnkiMwoOVmFsaWRhdG9yRW50cnkSEgoKcHVibGljX2tleRgBIAEoDBINCgVwb3dlchgCIAEoBCIvCgpDb250ZW50Um93EgsKA3VybBgBIAEoCRIUCgxibG9ja19udW1iZXIYAiABKAQiigEKDVNldHRsZW1lbnRSb3cSEAoIc2VxdWVuY2UYASABKAQSEAoIY2hhaW5faWQYAiABKAQSEAoIY29udHJhY3QYAyABKAwSEQoJdGhyZXNob2xkGAQgASgNEjAKCWF0dGVzdGVycxgFIAMoCzIdLm1ha2VjaGFpbi5TZXR0bGVtZW50QXR0ZXN0ZXIiNQoSU2V0dGxlbWVudEF0dGVzdGVyEhIKCnB1YmxpY19rZXkYASABKAwSCwoDdXJsGAIgASgJIlcKCFJ1bGVzUm93EhAKCHNlcXVlbmNlGAEgASgEEg8KB3ZlcnNpb24YAiABKAQSDgoGaGVpZ2h0GAMgASgEEhgKEHByZXZpb3VzX3ZlcnNpb24YBCABKAQqgwEKDVByb2plY3RTdGF0dXMSHgoaUFJPSkVDVF9TVEFUVVNfVU5TUEVDSUZJRUQQABIZChVQUk9KRUNUX1NUQVRVU19BQ1RJVkUQARIbChdQUk9KRUNUX1NUQVRVU19BUkNISVZFRBACEhoKFlBST0pFQ1RfU1RBVFVTX1JFTU9WRUQQA0IlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z", [file_makechain_account, file_makechain_collaborator, file_makechain_custody, file_makechain_merge_request, file_makechain_ref]);
/**
 * Describes the message makechain.TombstoneRow.
 * Use `create(TombstoneRowSchema)` to create a new message.
 */
export const TombstoneRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 0);
/**
 * Describes the message makechain.AccountRow.
 * Use `create(AccountRowSchema)` to create a new message.
 */
export const AccountRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 1);
/**
 * Describes the message makechain.AccountMetadataRow.
 * Use `create(AccountMetadataRowSchema)` to create a new message.
 */
export const AccountMetadataRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 2);
/**
 * Describes the message makechain.DelegatedKeyRow.
 * Use `create(DelegatedKeyRowSchema)` to create a new message.
 */
export const DelegatedKeyRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 3);
/**
 * Describes the message makechain.CustodyKeyRow.
 * Use `create(CustodyKeyRowSchema)` to create a new message.
 */
export const CustodyKeyRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 4);
/**
 * Describes the message makechain.KeyOwnerRow.
 * Use `create(KeyOwnerRowSchema)` to create a new message.
 */
export const KeyOwnerRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 5);
/**
 * Describes the message makechain.UsernameRow.
 * Use `create(UsernameRowSchema)` to create a new message.
 */
export const UsernameRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 6);
/**
 * Describes the message makechain.VerificationRow.
 * Use `create(VerificationRowSchema)` to create a new message.
 */
export const VerificationRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 7);
/**
 * Describes the message makechain.ProjectRow.
 * Use `create(ProjectRowSchema)` to create a new message.
 */
export const ProjectRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 8);
/**
 * Describes the message makechain.ProjectMetadataRow.
 * Use `create(ProjectMetadataRowSchema)` to create a new message.
 */
export const ProjectMetadataRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 9);
/**
 * Describes the message makechain.ProjectNameRow.
 * Use `create(ProjectNameRowSchema)` to create a new message.
 */
export const ProjectNameRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 10);
/**
 * Describes the message makechain.RefRow.
 * Use `create(RefRowSchema)` to create a new message.
 */
export const RefRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 11);
/**
 * Describes the message makechain.CommitRow.
 * Use `create(CommitRowSchema)` to create a new message.
 */
export const CommitRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 12);
/**
 * Describes the message makechain.CollaboratorRow.
 * Use `create(CollaboratorRowSchema)` to create a new message.
 */
export const CollaboratorRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 13);
/**
 * Describes the message makechain.LinkRow.
 * Use `create(LinkRowSchema)` to create a new message.
 */
export const LinkRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 14);
/**
 * Describes the message makechain.ReactionRow.
 * Use `create(ReactionRowSchema)` to create a new message.
 */
export const ReactionRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 15);
/**
 * Describes the message makechain.CounterRow.
 * Use `create(CounterRowSchema)` to create a new message.
 */
export const CounterRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 16);
/**
 * Describes the message makechain.PruneMarkerRow.
 * Use `create(PruneMarkerRowSchema)` to create a new message.
 */
export const PruneMarkerRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 17);
/**
 * Describes the message makechain.StorageGrantRow.
 * Use `create(StorageGrantRowSchema)` to create a new message.
 */
export const StorageGrantRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 18);
/**
 * Describes the message makechain.ClaimRow.
 * Use `create(ClaimRowSchema)` to create a new message.
 */
export const ClaimRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 19);
/**
 * Describes the message makechain.ForkParentRow.
 * Use `create(ForkParentRowSchema)` to create a new message.
 */
export const ForkParentRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 20);
/**
 * Describes the message makechain.MergeRequestRow.
 * Use `create(MergeRequestRowSchema)` to create a new message.
 */
export const MergeRequestRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 21);
/**
 * Describes the message makechain.ClosedMergeRequestRow.
 * Use `create(ClosedMergeRequestRowSchema)` to create a new message.
 */
export const ClosedMergeRequestRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 22);
/**
 * Describes the message makechain.MergeRequestByRequesterRow.
 * Use `create(MergeRequestByRequesterRowSchema)` to create a new message.
 */
export const MergeRequestByRequesterRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 23);
/**
 * Describes the message makechain.ValidatorsRow.
 * Use `create(ValidatorsRowSchema)` to create a new message.
 */
export const ValidatorsRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 24);
/**
 * Describes the message makechain.ValidatorEntry.
 * Use `create(ValidatorEntrySchema)` to create a new message.
 */
export const ValidatorEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_state, 25);
/**
 * Describes the message makechain.ContentRow.
 * Use `create(ContentRowSchema)` to create a new message.
 */
export const ContentRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 26);
/**
 * Describes the message makechain.SettlementRow.
 * Use `create(SettlementRowSchema)` to create a new message.
 */
export const SettlementRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 27);
/**
 * Describes the message makechain.SettlementAttester.
 * Use `create(SettlementAttesterSchema)` to create a new message.
 */
export const SettlementAttesterSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 28);
/**
 * Describes the message makechain.RulesRow.
 * Use `create(RulesRowSchema)` to create a new message.
 */
export const RulesRowSchema = /*@__PURE__*/ messageDesc(file_makechain_state, 29);
/**
 * @generated from enum makechain.ProjectStatus
 */
export var ProjectStatus;
(function (ProjectStatus) {
    /**
     * @generated from enum value: PROJECT_STATUS_UNSPECIFIED = 0;
     */
    ProjectStatus[ProjectStatus["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * @generated from enum value: PROJECT_STATUS_ACTIVE = 1;
     */
    ProjectStatus[ProjectStatus["ACTIVE"] = 1] = "ACTIVE";
    /**
     * @generated from enum value: PROJECT_STATUS_ARCHIVED = 2;
     */
    ProjectStatus[ProjectStatus["ARCHIVED"] = 2] = "ARCHIVED";
    /**
     * @generated from enum value: PROJECT_STATUS_REMOVED = 3;
     */
    ProjectStatus[ProjectStatus["REMOVED"] = 3] = "REMOVED";
})(ProjectStatus || (ProjectStatus = {}));
/**
 * Describes the enum makechain.ProjectStatus.
 */
export const ProjectStatusSchema = /*@__PURE__*/ enumDesc(file_makechain_state, 0);
