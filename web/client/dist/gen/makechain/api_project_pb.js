// Reading projects and merge requests.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_api_message } from "./api_message_pb.js";
import { file_makechain_merge_request } from "./merge_request_pb.js";
import { file_makechain_message } from "./message_pb.js";
import { file_makechain_project } from "./project_pb.js";
/**
 * Describes the file makechain/api_project.proto.
 */
export const file_makechain_api_project = /*@__PURE__*/ fileDesc("ChttYWtlY2hhaW4vYXBpX3Byb2plY3QucHJvdG8SCW1ha2VjaGFpbiInChFHZXRQcm9qZWN0UmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMIj4KF0dldFByb2plY3RCeU5hbWVSZXF1ZXN0EgwKBG5hbWUYASABKAkSFQoNb3duZXJfYWRkcmVzcxgCIAEoDCK5AwoSR2V0UHJvamVjdFJlc3BvbnNlEhIKCnByb2plY3RfaWQYASABKAwSDAoEbmFtZRgCIAEoCRITCgtkZXNjcmlwdGlvbhgDIAEoCRIPCgdsaWNlbnNlGAQgASgJEikKCnZpc2liaWxpdHkYBSABKA4yFS5tYWtlY2hhaW4uVmlzaWJpbGl0eRIOCgZzdGF0dXMYBiABKAkSEwoLZm9ya19zb3VyY2UYByABKAwSEQoJcmVmX2NvdW50GAggASgNEhoKEmNvbGxhYm9yYXRvcl9jb3VudBgJIAEoDRIUCgxjb21taXRfY291bnQYCiABKA0SEAoIbWF4X3JlZnMYCyABKA0SGQoRbWF4X2NvbGxhYm9yYXRvcnMYDCABKA0SEwoLbWF4X2NvbW1pdHMYDSABKA0SFQoNb3duZXJfYWRkcmVzcxgOIAEoDBIbChNtZXJnZV9yZXF1ZXN0X2NvdW50GA8gASgNEhQKDGNvbnRlbnRfdXJscxhkIAMoCRIWCg5kZWZhdWx0X2JyYW5jaBhlIAEoCRIiChpjbG9zZWRfbWVyZ2VfcmVxdWVzdF9jb3VudBhmIAEoDSJcChVTZWFyY2hQcm9qZWN0c1JlcXVlc3QSDQoFcXVlcnkYASABKAkSDQoFbGltaXQYAiABKA0SDgoGY3Vyc29yGAMgASgMEhUKDW93bmVyX2FkZHJlc3MYBCABKAwiRQoQTGlzdEZvcmtzUmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEg0KBWxpbWl0GAIgASgNEg4KBmN1cnNvchgDIAEoDCJLChNMaXN0UHJvamVjdHNSZXF1ZXN0Eg0KBWxpbWl0GAEgASgNEg4KBmN1cnNvchgCIAEoDBIVCg1vd25lcl9hZGRyZXNzGAMgASgMIlwKFExpc3RQcm9qZWN0c1Jlc3BvbnNlEi8KCHByb2plY3RzGAEgAygLMh0ubWFrZWNoYWluLkdldFByb2plY3RSZXNwb25zZRITCgtuZXh0X2N1cnNvchgCIAEoDCJ1ChlHZXRQcm9qZWN0QWN0aXZpdHlSZXF1ZXN0EhIKCnByb2plY3RfaWQYASABKAwSDQoFbGltaXQYAiABKA0SJQoFdHlwZXMYAyADKA4yFi5tYWtlY2hhaW4uTWVzc2FnZVR5cGUSDgoGY3Vyc29yGGQgASgMIlwKGkdldFByb2plY3RBY3Rpdml0eVJlc3BvbnNlEikKCG1lc3NhZ2VzGAEgAygLMhcubWFrZWNoYWluLk1lc3NhZ2VFbnRyeRITCgtuZXh0X2N1cnNvchhkIAEoDCKTAwoTTWVyZ2VSZXF1ZXN0U3VtbWFyeRISCgpyZXF1ZXN0X2lkGAEgASgMEhIKCnByb2plY3RfaWQYAiABKAwSHwoXcmVxdWVzdGVyX293bmVyX2FkZHJlc3MYAyABKAwSGQoRc291cmNlX3Byb2plY3RfaWQYBCABKAwSEgoKc291cmNlX3JlZhgFIAEoDBIaChJzb3VyY2VfY29tbWl0X2hhc2gYBiABKAwSEgoKdGFyZ2V0X3JlZhgHIAEoDBINCgV0aXRsZRgIIAEoCRIQCghhZGRlZF9hdBgJIAEoDRIvCgdvdXRjb21lGGQgASgOMh4ubWFrZWNoYWluLk1lcmdlUmVxdWVzdE91dGNvbWUSFAoMbWVyZ2VfY29tbWl0GGUgASgMEhwKFGNsb3Nlcl9vd25lcl9hZGRyZXNzGGYgASgMEhEKCWNsb3NlZF9hdBhnIAEoDRIUCgxjbG9zZWRfYmxvY2sYaCABKAQSEAoIcmVwbGFjZXMYaSABKAwSEwoLcmVwbGFjZWRfYnkYaiABKAwiWAoWR2V0TWVyZ2VSZXF1ZXN0UmVxdWVzdBISCgpwcm9qZWN0X2lkGAEgASgMEhIKCnJlcXVlc3RfaWQYAiABKAwSFgoOaW5jbHVkZV9jbG9zZWQYZCABKAgiUAoXR2V0TWVyZ2VSZXF1ZXN0UmVzcG9uc2USNQoNbWVyZ2VfcmVxdWVzdBgBIAEoCzIeLm1ha2VjaGFpbi5NZXJnZVJlcXVlc3RTdW1tYXJ5IoYBChhMaXN0TWVyZ2VSZXF1ZXN0c1JlcXVlc3QSEgoKcHJvamVjdF9pZBgBIAEoDBINCgVsaW1pdBgCIAEoDRIOCgZjdXJzb3IYAyABKAwSHwoXcmVxdWVzdGVyX293bmVyX2FkZHJlc3MYBCABKAwSFgoOaW5jbHVkZV9jbG9zZWQYZCABKAgiaAoZTGlzdE1lcmdlUmVxdWVzdHNSZXNwb25zZRI2Cg5tZXJnZV9yZXF1ZXN0cxgBIAMoCzIeLm1ha2VjaGFpbi5NZXJnZVJlcXVlc3RTdW1tYXJ5EhMKC25leHRfY3Vyc29yGAIgASgMInMKI0xpc3RNZXJnZVJlcXVlc3RzQnlSZXF1ZXN0ZXJSZXF1ZXN0EhUKDW93bmVyX2FkZHJlc3MYASABKAwSDQoFbGltaXQYAiABKA0SDgoGY3Vyc29yGAMgASgMEhYKDmluY2x1ZGVfY2xvc2VkGGQgASgIInMKJExpc3RNZXJnZVJlcXVlc3RzQnlSZXF1ZXN0ZXJSZXNwb25zZRI2Cg5tZXJnZV9yZXF1ZXN0cxgBIAMoCzIeLm1ha2VjaGFpbi5NZXJnZVJlcXVlc3RTdW1tYXJ5EhMKC25leHRfY3Vyc29yGAIgASgMQiVaI21ha2VjaGFpbi9nZW4vbWFrZWNoYWluO21ha2VjaGFpbnBiYgZwcm90bzM", [file_makechain_api_message, file_makechain_merge_request, file_makechain_message, file_makechain_project]);
/**
 * Describes the message makechain.GetProjectRequest.
 * Use `create(GetProjectRequestSchema)` to create a new message.
 */
export const GetProjectRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 0);
/**
 * Describes the message makechain.GetProjectByNameRequest.
 * Use `create(GetProjectByNameRequestSchema)` to create a new message.
 */
export const GetProjectByNameRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 1);
/**
 * Describes the message makechain.GetProjectResponse.
 * Use `create(GetProjectResponseSchema)` to create a new message.
 */
export const GetProjectResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 2);
/**
 * Describes the message makechain.SearchProjectsRequest.
 * Use `create(SearchProjectsRequestSchema)` to create a new message.
 */
export const SearchProjectsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 3);
/**
 * Describes the message makechain.ListForksRequest.
 * Use `create(ListForksRequestSchema)` to create a new message.
 */
export const ListForksRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 4);
/**
 * Describes the message makechain.ListProjectsRequest.
 * Use `create(ListProjectsRequestSchema)` to create a new message.
 */
export const ListProjectsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 5);
/**
 * Describes the message makechain.ListProjectsResponse.
 * Use `create(ListProjectsResponseSchema)` to create a new message.
 */
export const ListProjectsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 6);
/**
 * Describes the message makechain.GetProjectActivityRequest.
 * Use `create(GetProjectActivityRequestSchema)` to create a new message.
 */
export const GetProjectActivityRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 7);
/**
 * Describes the message makechain.GetProjectActivityResponse.
 * Use `create(GetProjectActivityResponseSchema)` to create a new message.
 */
export const GetProjectActivityResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 8);
/**
 * Describes the message makechain.MergeRequestSummary.
 * Use `create(MergeRequestSummarySchema)` to create a new message.
 */
export const MergeRequestSummarySchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 9);
/**
 * Describes the message makechain.GetMergeRequestRequest.
 * Use `create(GetMergeRequestRequestSchema)` to create a new message.
 */
export const GetMergeRequestRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 10);
/**
 * Describes the message makechain.GetMergeRequestResponse.
 * Use `create(GetMergeRequestResponseSchema)` to create a new message.
 */
export const GetMergeRequestResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 11);
/**
 * Describes the message makechain.ListMergeRequestsRequest.
 * Use `create(ListMergeRequestsRequestSchema)` to create a new message.
 */
export const ListMergeRequestsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 12);
/**
 * Describes the message makechain.ListMergeRequestsResponse.
 * Use `create(ListMergeRequestsResponseSchema)` to create a new message.
 */
export const ListMergeRequestsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 13);
/**
 * Describes the message makechain.ListMergeRequestsByRequesterRequest.
 * Use `create(ListMergeRequestsByRequesterRequestSchema)` to create a new message.
 */
export const ListMergeRequestsByRequesterRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 14);
/**
 * Describes the message makechain.ListMergeRequestsByRequesterResponse.
 * Use `create(ListMergeRequestsByRequesterResponseSchema)` to create a new message.
 */
export const ListMergeRequestsByRequesterResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_project, 15);
