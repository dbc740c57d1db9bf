// Proofs of state and their verification.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/api_proof.proto.
 */
export const file_makechain_api_proof = /*@__PURE__*/ fileDesc("ChltYWtlY2hhaW4vYXBpX3Byb29mLnByb3RvEgltYWtlY2hhaW4iJwoYR2V0T3BlcmF0aW9uUHJvb2ZSZXF1ZXN0EgsKA2tleRgBIAEoDCJdChlHZXRPcGVyYXRpb25Qcm9vZlJlc3BvbnNlEg0KBXByb29mGAEgASgMEgwKBHJvb3QYAiABKAwSDQoFdmFsdWUYAyABKAwSFAoMYmxvY2tfbnVtYmVyGGQgASgEIicKGEdldEV4Y2x1c2lvblByb29mUmVxdWVzdBILCgNrZXkYASABKAwiTgoZR2V0RXhjbHVzaW9uUHJvb2ZSZXNwb25zZRINCgVwcm9vZhgBIAEoDBIMCgRyb290GAIgASgMEhQKDGJsb2NrX251bWJlchhkIAEoBCJWChtWZXJpZnlPcGVyYXRpb25Qcm9vZlJlcXVlc3QSDQoFcHJvb2YYASABKAwSCwoDa2V5GAIgASgMEgwKBHJvb3QYAyABKAwSDQoFdmFsdWUYBCABKAwiSgocVmVyaWZ5T3BlcmF0aW9uUHJvb2ZSZXNwb25zZRINCgV2YWxpZBgBIAEoCBINCgVlcnJvchgCIAEoCRIMCgRyb290GAMgASgMIkcKG1ZlcmlmeUV4Y2x1c2lvblByb29mUmVxdWVzdBINCgVwcm9vZhgBIAEoDBILCgNrZXkYAiABKAwSDAoEcm9vdBgDIAEoDCJKChxWZXJpZnlFeGNsdXNpb25Qcm9vZlJlc3BvbnNlEg0KBXZhbGlkGAEgASgIEg0KBWVycm9yGAIgASgJEgwKBHJvb3QYAyABKAwiZQoiVmVyaWZ5T3BlcmF0aW9uUHJvb2ZBdEJsb2NrUmVxdWVzdBINCgVwcm9vZhgBIAEoDBILCgNrZXkYAiABKAwSFAoMYmxvY2tfbnVtYmVyGAMgASgEEg0KBXZhbHVlGAQgASgMImcKI1ZlcmlmeU9wZXJhdGlvblByb29mQXRCbG9ja1Jlc3BvbnNlEg0KBXZhbGlkGAEgASgIEg0KBWVycm9yGAIgASgJEgwKBHJvb3QYAyABKAwSFAoMYmxvY2tfbnVtYmVyGAQgASgEIlYKIlZlcmlmeUV4Y2x1c2lvblByb29mQXRCbG9ja1JlcXVlc3QSDQoFcHJvb2YYASABKAwSCwoDa2V5GAIgASgMEhQKDGJsb2NrX251bWJlchgDIAEoBCJnCiNWZXJpZnlFeGNsdXNpb25Qcm9vZkF0QmxvY2tSZXNwb25zZRINCgV2YWxpZBgBIAEoCBINCgVlcnJvchgCIAEoCRIMCgRyb290GAMgASgMEhQKDGJsb2NrX251bWJlchgEIAEoBCImChdHZXRDb21wb3VuZFByb29mUmVxdWVzdBILCgNrZXkYASABKAwioAIKGEdldENvbXBvdW5kUHJvb2ZSZXNwb25zZRIUCgxhY3RpdmVfcHJvb2YYASABKAwSGQoRYWN0aXZlX2tleV9leGlzdHMYAiABKAgSFwoPdG9tYnN0b25lX3Byb29mGAMgASgMEhgKEHRvbWJzdG9uZV9leGlzdHMYBCABKAgSGgoScHJ1bmVfbWFya2VyX3Byb29mGAUgASgMEhsKE3BydW5lX21hcmtlcl9leGlzdHMYBiABKAgSDAoEcm9vdBgHIAEoDBINCgV2YWx1ZRgIIAEoDBIOCgZhY3RpdmUYCSABKAgSEAoIYWRkZWRfYXQYCiABKA0SEgoKcmVtb3ZhbF90cxgLIAEoDRIUCgxibG9ja19udW1iZXIYZCABKAQiTQobR2V0U3RvcmFnZVF1b3RhUHJvb2ZSZXF1ZXN0EhcKD2FzX29mX3VuaXhfdGltZRgBIAEoDRIVCg1vd25lcl9hZGRyZXNzGAIgASgMIkMKFlN0b3JhZ2VHcmFudFByb29mRW50cnkSCwoDa2V5GAEgASgMEg0KBXZhbHVlGAIgASgMEg0KBXByb29mGAMgASgMItwEChxHZXRTdG9yYWdlUXVvdGFQcm9vZlJlc3BvbnNlEhcKD2FzX29mX3VuaXhfdGltZRgBIAEoDRIMCgRyb290GAIgASgMEhcKD2xvd2VyX2JvdW5kX2tleRgDIAEoDBIZChFsb3dlcl9ib3VuZF9wcm9vZhgEIAEoDBIxCgZncmFudHMYBSADKAsyIS5tYWtlY2hhaW4uU3RvcmFnZUdyYW50UHJvb2ZFbnRyeRIVCg1zdG9yYWdlX3VuaXRzGAYgASgNEhQKDG1heF9wcm9qZWN0cxgHIAEoDRIRCgltYXhfbGlua3MYCCABKA0SGQoRbWF4X3ZlcmlmaWNhdGlvbnMYCSABKA0SFQoNbWF4X3JlYWN0aW9ucxgKIAEoDRIlCh1tYXhfY29sbGFib3JhdG9yc19wZXJfcHJvamVjdBgLIAEoDRIVCg1vd25lcl9hZGRyZXNzGAwgASgMEhcKD3VwcGVyX2JvdW5kX2tleRgNIAEoDBIZChF1cHBlcl9ib3VuZF9wcm9vZhgOIAEoDBImCh5tYXhfbWVyZ2VfcmVxdWVzdHNfcGVyX3Byb2plY3QYDyABKA0SKAogbWF4X21lcmdlX3JlcXVlc3RzX3Blcl9yZXF1ZXN0ZXIYECABKA0SFQoNYWNjb3VudF92YWx1ZRgRIAEoDBIVCg1hY2NvdW50X3Byb29mGBIgASgMEhYKDnVzZXJuYW1lX3Byb29mGBMgASgMEhwKFHVzYWJsZV9zdG9yYWdlX3VuaXRzGBQgASgNEhQKDGJsb2NrX251bWJlchhkIAEoBCJeCh5WZXJpZnlTdG9yYWdlUXVvdGFQcm9vZlJlcXVlc3QSPAoLcXVvdGFfcHJvb2YYASABKAsyJy5tYWtlY2hhaW4uR2V0U3RvcmFnZVF1b3RhUHJvb2ZSZXNwb25zZSJNCh9WZXJpZnlTdG9yYWdlUXVvdGFQcm9vZlJlc3BvbnNlEg0KBXZhbGlkGAEgASgIEg0KBWVycm9yGAIgASgJEgwKBHJvb3QYAyABKAwiRQoUR2V0UmFuZ2VQcm9vZlJlcXVlc3QSDgoGcHJlZml4GAEgASgMEg0KBWxpbWl0GAIgASgNEg4KBmN1cnNvchgDIAEoDCI8Cg9SYW5nZVByb29mRW50cnkSCwoDa2V5GAEgASgMEg0KBXZhbHVlGAIgASgMEg0KBXByb29mGAMgASgMIsUBChVHZXRSYW5nZVByb29mUmVzcG9uc2USDAoEcm9vdBgBIAEoDBIUCgxibG9ja19udW1iZXIYAiABKAQSKwoHZW50cmllcxgDIAMoCzIaLm1ha2VjaGFpbi5SYW5nZVByb29mRW50cnkSGQoRbG93ZXJfYm91bmRfcHJvb2YYBCABKAwSGQoRdXBwZXJfYm91bmRfcHJvb2YYBSABKAwSEAoIY29tcGxldGUYBiABKAgSEwoLbmV4dF9jdXJzb3IYByABKAwiLwoXR2V0RmluYWxpemVkUm9vdFJlcXVlc3QSFAoMYmxvY2tfbnVtYmVyGAEgASgEIlkKGEdldEZpbmFsaXplZFJvb3RSZXNwb25zZRIUCgxibG9ja19udW1iZXIYASABKAQSEgoKc3RhdGVfcm9vdBgCIAEoDBITCgtsaWdodF9ibG9jaxgDIAEoDCImCghSYW5nZVJvdxILCgNrZXkYASABKAwSDQoFdmFsdWUYAiABKAwitAEKEUNvbXBhY3RSYW5nZVByb29mEiEKBHJvd3MYASADKAsyEy5tYWtlY2hhaW4uUmFuZ2VSb3cSEQoJbG93ZXJfa2V5GAIgASgMEhgKEGxvd2VyX3ZhbHVlX2hhc2gYAyABKAwSEQoJdXBwZXJfa2V5GAQgASgMEhgKEHVwcGVyX3ZhbHVlX2hhc2gYBSABKAwSDgoGaGFzaGVzGAYgASgMEhIKCm9wZXJhdGlvbnMYByABKAwiPAoWR2V0UHJvamVjdFByb29mUmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEg4KBmN1cnNvchgCIAEoDCKlAgoXR2V0UHJvamVjdFByb29mUmVzcG9uc2USDAoEcm9vdBgBIAEoDBIUCgxibG9ja19udW1iZXIYAiABKAQSEwoLbGlnaHRfYmxvY2sYAyABKAwSLQoHcHJvamVjdBgEIAEoCzIcLm1ha2VjaGFpbi5Db21wYWN0UmFuZ2VQcm9vZhIuCghtZXRhZGF0YRgFIAEoCzIcLm1ha2VjaGFpbi5Db21wYWN0UmFuZ2VQcm9vZhIxCgtmb3JrX3BhcmVudBgGIAEoCzIcLm1ha2VjaGFpbi5Db21wYWN0UmFuZ2VQcm9vZhIqCgRyZWZzGAcgASgLMhwubWFrZWNoYWluLkNvbXBhY3RSYW5nZVByb29mEhMKC25leHRfY3Vyc29yGAggASgMIkcKEkxpc3RDb250ZW50UmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEg0KBWxpbWl0GAIgASgNEg4KBmN1cnNvchgDIAEoDCKTAQoTTGlzdENvbnRlbnRSZXNwb25zZRIMCgRyb290GAEgASgMEhQKDGJsb2NrX251bWJlchgCIAEoBBITCgtsaWdodF9ibG9jaxgDIAEoDBIuCghjb250ZW50cxgEIAEoCzIcLm1ha2VjaGFpbi5Db21wYWN0UmFuZ2VQcm9vZhITCgtuZXh0X2N1cnNvchgFIAEoDEIlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z");
/**
 * Describes the message makechain.GetOperationProofRequest.
 * Use `create(GetOperationProofRequestSchema)` to create a new message.
 */
export const GetOperationProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 0);
/**
 * Describes the message makechain.GetOperationProofResponse.
 * Use `create(GetOperationProofResponseSchema)` to create a new message.
 */
export const GetOperationProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 1);
/**
 * Describes the message makechain.GetExclusionProofRequest.
 * Use `create(GetExclusionProofRequestSchema)` to create a new message.
 */
export const GetExclusionProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 2);
/**
 * Describes the message makechain.GetExclusionProofResponse.
 * Use `create(GetExclusionProofResponseSchema)` to create a new message.
 */
export const GetExclusionProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 3);
/**
 * Describes the message makechain.VerifyOperationProofRequest.
 * Use `create(VerifyOperationProofRequestSchema)` to create a new message.
 */
export const VerifyOperationProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 4);
/**
 * Describes the message makechain.VerifyOperationProofResponse.
 * Use `create(VerifyOperationProofResponseSchema)` to create a new message.
 */
export const VerifyOperationProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 5);
/**
 * Describes the message makechain.VerifyExclusionProofRequest.
 * Use `create(VerifyExclusionProofRequestSchema)` to create a new message.
 */
export const VerifyExclusionProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 6);
/**
 * Describes the message makechain.VerifyExclusionProofResponse.
 * Use `create(VerifyExclusionProofResponseSchema)` to create a new message.
 */
export const VerifyExclusionProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 7);
/**
 * Describes the message makechain.VerifyOperationProofAtBlockRequest.
 * Use `create(VerifyOperationProofAtBlockRequestSchema)` to create a new message.
 */
export const VerifyOperationProofAtBlockRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 8);
/**
 * Describes the message makechain.VerifyOperationProofAtBlockResponse.
 * Use `create(VerifyOperationProofAtBlockResponseSchema)` to create a new message.
 */
export const VerifyOperationProofAtBlockResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 9);
/**
 * Describes the message makechain.VerifyExclusionProofAtBlockRequest.
 * Use `create(VerifyExclusionProofAtBlockRequestSchema)` to create a new message.
 */
export const VerifyExclusionProofAtBlockRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 10);
/**
 * Describes the message makechain.VerifyExclusionProofAtBlockResponse.
 * Use `create(VerifyExclusionProofAtBlockResponseSchema)` to create a new message.
 */
export const VerifyExclusionProofAtBlockResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 11);
/**
 * Describes the message makechain.GetCompoundProofRequest.
 * Use `create(GetCompoundProofRequestSchema)` to create a new message.
 */
export const GetCompoundProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 12);
/**
 * Describes the message makechain.GetCompoundProofResponse.
 * Use `create(GetCompoundProofResponseSchema)` to create a new message.
 */
export const GetCompoundProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 13);
/**
 * Describes the message makechain.GetStorageQuotaProofRequest.
 * Use `create(GetStorageQuotaProofRequestSchema)` to create a new message.
 */
export const GetStorageQuotaProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 14);
/**
 * Describes the message makechain.StorageGrantProofEntry.
 * Use `create(StorageGrantProofEntrySchema)` to create a new message.
 */
export const StorageGrantProofEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 15);
/**
 * Describes the message makechain.GetStorageQuotaProofResponse.
 * Use `create(GetStorageQuotaProofResponseSchema)` to create a new message.
 */
export const GetStorageQuotaProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 16);
/**
 * Describes the message makechain.VerifyStorageQuotaProofRequest.
 * Use `create(VerifyStorageQuotaProofRequestSchema)` to create a new message.
 */
export const VerifyStorageQuotaProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 17);
/**
 * Describes the message makechain.VerifyStorageQuotaProofResponse.
 * Use `create(VerifyStorageQuotaProofResponseSchema)` to create a new message.
 */
export const VerifyStorageQuotaProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 18);
/**
 * Describes the message makechain.GetRangeProofRequest.
 * Use `create(GetRangeProofRequestSchema)` to create a new message.
 */
export const GetRangeProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 19);
/**
 * Describes the message makechain.RangeProofEntry.
 * Use `create(RangeProofEntrySchema)` to create a new message.
 */
export const RangeProofEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 20);
/**
 * Describes the message makechain.GetRangeProofResponse.
 * Use `create(GetRangeProofResponseSchema)` to create a new message.
 */
export const GetRangeProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 21);
/**
 * Describes the message makechain.GetFinalizedRootRequest.
 * Use `create(GetFinalizedRootRequestSchema)` to create a new message.
 */
export const GetFinalizedRootRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 22);
/**
 * Describes the message makechain.GetFinalizedRootResponse.
 * Use `create(GetFinalizedRootResponseSchema)` to create a new message.
 */
export const GetFinalizedRootResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 23);
/**
 * Describes the message makechain.RangeRow.
 * Use `create(RangeRowSchema)` to create a new message.
 */
export const RangeRowSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 24);
/**
 * Describes the message makechain.CompactRangeProof.
 * Use `create(CompactRangeProofSchema)` to create a new message.
 */
export const CompactRangeProofSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 25);
/**
 * Describes the message makechain.GetProjectProofRequest.
 * Use `create(GetProjectProofRequestSchema)` to create a new message.
 */
export const GetProjectProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 26);
/**
 * Describes the message makechain.GetProjectProofResponse.
 * Use `create(GetProjectProofResponseSchema)` to create a new message.
 */
export const GetProjectProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 27);
/**
 * Describes the message makechain.ListContentRequest.
 * Use `create(ListContentRequestSchema)` to create a new message.
 */
export const ListContentRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 28);
/**
 * Describes the message makechain.ListContentResponse.
 * Use `create(ListContentResponseSchema)` to create a new message.
 */
export const ListContentResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_proof, 29);
