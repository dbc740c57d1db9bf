// The node itself: status, health, totals, mempool.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_message } from "./message_pb.js";
/**
 * Describes the file makechain/api_node.proto.
 */
export const file_makechain_api_node = /*@__PURE__*/ fileDesc("ChhtYWtlY2hhaW4vYXBpX25vZGUucHJvdG8SCW1ha2VjaGFpbiKhAQoWUmVwbGF5VmVyaWZpY2F0aW9uSW5mbxIzCgZzdGF0dXMYASABKA4yIy5tYWtlY2hhaW4uUmVwbGF5VmVyaWZpY2F0aW9uU3RhdHVzEg4KBmRldGFpbBgCIAEoCRIcChRibG9ja2VkX2Jsb2NrX251bWJlchgDIAEoBBIkChx3YWl0aW5nX29uX2V4dGVybmFsX2V2aWRlbmNlGAQgASgIIhYKFEdldE5vZGVTdGF0dXNSZXF1ZXN0IrkDChVHZXROb2RlU3RhdHVzUmVzcG9uc2USFQoNY3VycmVudF9ibG9jaxgBIAEoBBIUCgxtZW1wb29sX3NpemUYAiABKA0SFgoOcGVuZGluZ19ibG9ja3MYAyABKA0SIwoHbmV0d29yaxgEIAEoDjISLm1ha2VjaGFpbi5OZXR3b3JrEg8KB3ZlcnNpb24YBSABKAkSEwoLdXB0aW1lX3NlY3MYBiABKAQSFgoOdG90YWxfbWVzc2FnZXMYByABKAQSFQoNc3RhdGVfZW50cmllcxgIIAEoDRI+ChNyZXBsYXlfdmVyaWZpY2F0aW9uGAkgASgLMiEubWFrZWNoYWluLlJlcGxheVZlcmlmaWNhdGlvbkluZm8SHAoUdmFsaWRhdG9yX3B1YmxpY19rZXkYCiABKAwSEwoLY2F0Y2hpbmdfdXAYZCABKAgSEgoKcGVlcl9jb3VudBhlIAEoDRIQCghjaGFpbl9pZBhmIAEoCRIVCg1ydWxlc192ZXJzaW9uGGcgASgEEjEKDXBlbmRpbmdfcnVsZXMYaCABKAsyGi5tYWtlY2hhaW4uUnVsZXNBY3RpdmF0aW9uIjIKD1J1bGVzQWN0aXZhdGlvbhIPCgd2ZXJzaW9uGAEgASgEEg4KBmhlaWdodBgCIAEoBCISChBHZXRIZWFsdGhSZXF1ZXN0Ip8BChFHZXRIZWFsdGhSZXNwb25zZRIPCgdzZXJ2aW5nGAEgASgIEg0KBXJlYWR5GAIgASgIEhUKDWN1cnJlbnRfYmxvY2sYAyABKAQSEwoLdXB0aW1lX3NlY3MYBCABKAQSPgoTcmVwbGF5X3ZlcmlmaWNhdGlvbhgFIAEoCzIhLm1ha2VjaGFpbi5SZXBsYXlWZXJpZmljYXRpb25JbmZvIhYKFEdldENoYWluU3RhdHNSZXF1ZXN0IrMCChVHZXRDaGFpblN0YXRzUmVzcG9uc2USFAoMYmxvY2tfaGVpZ2h0GAEgASgEEhYKDnRvdGFsX21lc3NhZ2VzGAIgASgEEhYKDnRvdGFsX3Byb2plY3RzGAMgASgNEhYKDnRvdGFsX2FjY291bnRzGAQgASgNEhIKCnRvdGFsX3JlZnMYBSABKA0SFQoNdG90YWxfY29tbWl0cxgGIAEoDRIbChN0b3RhbF9jb2xsYWJvcmF0b3JzGAcgASgNEhIKCnRvdGFsX2tleXMYCCABKA0SGwoTdG90YWxfdmVyaWZpY2F0aW9ucxgJIAEoDRIVCg1zdGF0ZV9lbnRyaWVzGAogASgNEhMKC3RvdGFsX2xpbmtzGAsgASgNEhcKD3RvdGFsX3JlYWN0aW9ucxgMIAEoDSIYChZHZXRTbmFwc2hvdEluZm9SZXF1ZXN0InYKF0dldFNuYXBzaG90SW5mb1Jlc3BvbnNlEhQKDGJsb2NrX251bWJlchgBIAEoBBISCgpzdGF0ZV9yb290GAIgASgMEhMKC2VudHJ5X2NvdW50GAMgASgNEhwKFGVzdGltYXRlZF9zaXplX2J5dGVzGAQgASgEIk8KEE1lbXBvb2xUeXBlQ291bnQSLAoMbWVzc2FnZV90eXBlGAEgASgOMhYubWFrZWNoYWluLk1lc3NhZ2VUeXBlEg0KBWNvdW50GAIgASgNIhcKFUdldE1lbXBvb2xJbmZvUmVxdWVzdCLWAQoWR2V0TWVtcG9vbEluZm9SZXNwb25zZRINCgV0b3RhbBgBIAEoDRIQCghjYXBhY2l0eRgCIAEoDRIYChBhY2NvdW50X21lc3NhZ2VzGAMgASgNEhgKEHByb2plY3RfbWVzc2FnZXMYBCABKA0SMwoOdHlwZV9icmVha2Rvd24YBSADKAsyGy5tYWtlY2hhaW4uTWVtcG9vbFR5cGVDb3VudBIYChBvbGRlc3RfdGltZXN0YW1wGAYgASgNEhgKEG5ld2VzdF90aW1lc3RhbXAYByABKA0q4gEKGFJlcGxheVZlcmlmaWNhdGlvblN0YXR1cxIqCiZSRVBMQVlfVkVSSUZJQ0FUSU9OX1NUQVRVU19VTlNQRUNJRklFRBAAEicKI1JFUExBWV9WRVJJRklDQVRJT05fU1RBVFVTX1ZFUklGSUVEEAESLworUkVQTEFZX1ZFUklGSUNBVElPTl9TVEFUVVNfVFJVU1RFRF9TTkFQU0hPVBACEkAKPFJFUExBWV9WRVJJRklDQVRJT05fU1RBVFVTX0JMT0NLRURfV0FJVElOR19FWFRFUk5BTF9FVklERU5DRRADQiVaI21ha2VjaGFpbi9nZW4vbWFrZWNoYWluO21ha2VjaGFpbnBiYgZwcm90bzM", [file_makechain_message]);
/**
 * Describes the message makechain.ReplayVerificationInfo.
 * Use `create(ReplayVerificationInfoSchema)` to create a new message.
 */
export const ReplayVerificationInfoSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 0);
/**
 * Describes the message makechain.GetNodeStatusRequest.
 * Use `create(GetNodeStatusRequestSchema)` to create a new message.
 */
export const GetNodeStatusRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 1);
/**
 * Describes the message makechain.GetNodeStatusResponse.
 * Use `create(GetNodeStatusResponseSchema)` to create a new message.
 */
export const GetNodeStatusResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 2);
/**
 * Describes the message makechain.RulesActivation.
 * Use `create(RulesActivationSchema)` to create a new message.
 */
export const RulesActivationSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 3);
/**
 * Describes the message makechain.GetHealthRequest.
 * Use `create(GetHealthRequestSchema)` to create a new message.
 */
export const GetHealthRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 4);
/**
 * Describes the message makechain.GetHealthResponse.
 * Use `create(GetHealthResponseSchema)` to create a new message.
 */
export const GetHealthResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 5);
/**
 * Describes the message makechain.GetChainStatsRequest.
 * Use `create(GetChainStatsRequestSchema)` to create a new message.
 */
export const GetChainStatsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 6);
/**
 * Describes the message makechain.GetChainStatsResponse.
 * Use `create(GetChainStatsResponseSchema)` to create a new message.
 */
export const GetChainStatsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 7);
/**
 * Describes the message makechain.GetSnapshotInfoRequest.
 * Use `create(GetSnapshotInfoRequestSchema)` to create a new message.
 */
export const GetSnapshotInfoRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 8);
/**
 * Describes the message makechain.GetSnapshotInfoResponse.
 * Use `create(GetSnapshotInfoResponseSchema)` to create a new message.
 */
export const GetSnapshotInfoResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 9);
/**
 * Describes the message makechain.MempoolTypeCount.
 * Use `create(MempoolTypeCountSchema)` to create a new message.
 */
export const MempoolTypeCountSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 10);
/**
 * Describes the message makechain.GetMempoolInfoRequest.
 * Use `create(GetMempoolInfoRequestSchema)` to create a new message.
 */
export const GetMempoolInfoRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 11);
/**
 * Describes the message makechain.GetMempoolInfoResponse.
 * Use `create(GetMempoolInfoResponseSchema)` to create a new message.
 */
export const GetMempoolInfoResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_node, 12);
/**
 * @generated from enum makechain.ReplayVerificationStatus
 */
export var ReplayVerificationStatus;
(function (ReplayVerificationStatus) {
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_UNSPECIFIED = 0;
     */
    ReplayVerificationStatus[ReplayVerificationStatus["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_VERIFIED = 1;
     */
    ReplayVerificationStatus[ReplayVerificationStatus["VERIFIED"] = 1] = "VERIFIED";
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT = 2;
     */
    ReplayVerificationStatus[ReplayVerificationStatus["TRUSTED_SNAPSHOT"] = 2] = "TRUSTED_SNAPSHOT";
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_BLOCKED_WAITING_EXTERNAL_EVIDENCE = 3;
     */
    ReplayVerificationStatus[ReplayVerificationStatus["BLOCKED_WAITING_EXTERNAL_EVIDENCE"] = 3] = "BLOCKED_WAITING_EXTERNAL_EVIDENCE";
})(ReplayVerificationStatus || (ReplayVerificationStatus = {}));
/**
 * Describes the enum makechain.ReplayVerificationStatus.
 */
export const ReplayVerificationStatusSchema = /*@__PURE__*/ enumDesc(file_makechain_api_node, 0);
