// Reading refs, commits and collaborators.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_collaborator } from "./collaborator_pb.js";
import { file_makechain_commit } from "./commit_pb.js";
import { file_makechain_ref } from "./ref_pb.js";
/**
 * Describes the file makechain/api_git.proto.
 */
export const file_makechain_api_git = /*@__PURE__*/ fileDesc("ChdtYWtlY2hhaW4vYXBpX2dpdC5wcm90bxIJbWFrZWNoYWluIjUKDUdldFJlZlJlcXVlc3QSEgoKcHJvamVjdF9pZBgBIAEoDBIQCghyZWZfbmFtZRgCIAEoDCKcAQoOR2V0UmVmUmVzcG9uc2USEgoKcHJvamVjdF9pZBgBIAEoDBIQCghyZWZfbmFtZRgCIAEoDBIkCghyZWZfdHlwZRgDIAEoDjISLm1ha2VjaGFpbi5SZWZUeXBlEgwKBGhhc2gYBCABKAwSDQoFbm9uY2UYBSABKAQSDQoFZmxvb3IYZCABKA0SEgoKdGFnX29iamVjdBhlIAEoDCJECg9MaXN0UmVmc1JlcXVlc3QSEgoKcHJvamVjdF9pZBgBIAEoDBINCgVsaW1pdBgCIAEoDRIOCgZjdXJzb3IYAyABKAwiUAoQTGlzdFJlZnNSZXNwb25zZRInCgRyZWZzGAEgAygLMhkubWFrZWNoYWluLkdldFJlZlJlc3BvbnNlEhMKC25leHRfY3Vyc29yGAIgASgMIlcKEEdldFJlZkxvZ1JlcXVlc3QSEgoKcHJvamVjdF9pZBgBIAEoDBIQCghyZWZfbmFtZRgCIAEoDBINCgVsaW1pdBgDIAEoDRIOCgZjdXJzb3IYZCABKAwiowEKC1JlZkxvZ0VudHJ5EhAKCG9sZF9oYXNoGAEgASgMEhAKCG5ld19oYXNoGAIgASgMEhEKCXRpbWVzdGFtcBgDIAEoDRIUCgxibG9ja19udW1iZXIYBCABKAQSDQoFZm9yY2UYBSABKAgSDQoFbm9uY2UYBiABKAQSFQoNb3duZXJfYWRkcmVzcxgHIAEoDBISCgp0YWdfb2JqZWN0GGQgASgMIlEKEUdldFJlZkxvZ1Jlc3BvbnNlEicKB2VudHJpZXMYASADKAsyFi5tYWtlY2hhaW4uUmVmTG9nRW50cnkSEwoLbmV4dF9jdXJzb3IYZCABKAwiOwoQR2V0Q29tbWl0UmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEhMKC2NvbW1pdF9oYXNoGAIgASgMInMKEUdldENvbW1pdFJlc3BvbnNlEhIKCnByb2plY3RfaWQYASABKAwSJQoGY29tbWl0GAIgASgLMhUubWFrZWNoYWluLkNvbW1pdE1ldGESFgoOY29udGVudF9kaWdlc3QYAyABKAwSCwoDdXJsGAQgASgJIkcKEkxpc3RDb21taXRzUmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEg0KBWxpbWl0GAIgASgNEg4KBmN1cnNvchgDIAEoDCJZChNMaXN0Q29tbWl0c1Jlc3BvbnNlEi0KB2NvbW1pdHMYASADKAsyHC5tYWtlY2hhaW4uR2V0Q29tbWl0UmVzcG9uc2USEwoLbmV4dF9jdXJzb3IYAiABKAwiYwoZR2V0Q29tbWl0QW5jZXN0b3JzUmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEhMKC2NvbW1pdF9oYXNoGAIgASgMEg0KBWxpbWl0GAMgASgNEg4KBmN1cnNvchhkIAEoDCJZChpHZXRDb21taXRBbmNlc3RvcnNSZXNwb25zZRImCgdjb21taXRzGAEgAygLMhUubWFrZWNoYWluLkNvbW1pdE1ldGESEwoLbmV4dF9jdXJzb3IYZCABKAwiTQoYTGlzdENvbGxhYm9yYXRvcnNSZXF1ZXN0EhIKCnByb2plY3RfaWQYASABKAwSDQoFbGltaXQYAiABKA0SDgoGY3Vyc29yGAMgASgMIlUKEUNvbGxhYm9yYXRvckVudHJ5EikKCnBlcm1pc3Npb24YASABKA4yFS5tYWtlY2hhaW4uUGVybWlzc2lvbhIVCg1vd25lcl9hZGRyZXNzGAIgASgMImUKGUxpc3RDb2xsYWJvcmF0b3JzUmVzcG9uc2USMwoNY29sbGFib3JhdG9ycxgBIAMoCzIcLm1ha2VjaGFpbi5Db2xsYWJvcmF0b3JFbnRyeRITCgtuZXh0X2N1cnNvchgCIAEoDEIlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z", [file_makechain_collaborator, file_makechain_commit, file_makechain_ref]);
/**
 * Describes the message makechain.GetRefRequest.
 * Use `create(GetRefRequestSchema)` to create a new message.
 */
export const GetRefRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 0);
/**
 * Describes the message makechain.GetRefResponse.
 * Use `create(GetRefResponseSchema)` to create a new message.
 */
export const GetRefResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 1);
/**
 * Describes the message makechain.ListRefsRequest.
 * Use `create(ListRefsRequestSchema)` to create a new message.
 */
export const ListRefsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 2);
/**
 * Describes the message makechain.ListRefsResponse.
 * Use `create(ListRefsResponseSchema)` to create a new message.
 */
export const ListRefsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 3);
/**
 * Describes the message makechain.GetRefLogRequest.
 * Use `create(GetRefLogRequestSchema)` to create a new message.
 */
export const GetRefLogRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 4);
/**
 * Describes the message makechain.RefLogEntry.
 * Use `create(RefLogEntrySchema)` to create a new message.
 */
export const RefLogEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 5);
/**
 * Describes the message makechain.GetRefLogResponse.
 * Use `create(GetRefLogResponseSchema)` to create a new message.
 */
export const GetRefLogResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 6);
/**
 * Describes the message makechain.GetCommitRequest.
 * Use `create(GetCommitRequestSchema)` to create a new message.
 */
export const GetCommitRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 7);
/**
 * Describes the message makechain.GetCommitResponse.
 * Use `create(GetCommitResponseSchema)` to create a new message.
 */
export const GetCommitResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 8);
/**
 * Describes the message makechain.ListCommitsRequest.
 * Use `create(ListCommitsRequestSchema)` to create a new message.
 */
export const ListCommitsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 9);
/**
 * Describes the message makechain.ListCommitsResponse.
 * Use `create(ListCommitsResponseSchema)` to create a new message.
 */
export const ListCommitsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 10);
/**
 * Describes the message makechain.GetCommitAncestorsRequest.
 * Use `create(GetCommitAncestorsRequestSchema)` to create a new message.
 */
export const GetCommitAncestorsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 11);
/**
 * Describes the message makechain.GetCommitAncestorsResponse.
 * Use `create(GetCommitAncestorsResponseSchema)` to create a new message.
 */
export const GetCommitAncestorsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 12);
/**
 * Describes the message makechain.ListCollaboratorsRequest.
 * Use `create(ListCollaboratorsRequestSchema)` to create a new message.
 */
export const ListCollaboratorsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 13);
/**
 * Describes the message makechain.CollaboratorEntry.
 * Use `create(CollaboratorEntrySchema)` to create a new message.
 */
export const CollaboratorEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 14);
/**
 * Describes the message makechain.ListCollaboratorsResponse.
 * Use `create(ListCollaboratorsResponseSchema)` to create a new message.
 */
export const ListCollaboratorsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_git, 15);
