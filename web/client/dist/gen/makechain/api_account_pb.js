// Reading accounts, their keys, verifications, links and reactions.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_account } from "./account_pb.js";
import { file_makechain_api_message } from "./api_message_pb.js";
import { file_makechain_custody } from "./custody_pb.js";
import { file_makechain_message } from "./message_pb.js";
import { file_makechain_social } from "./social_pb.js";
/**
 * Describes the file makechain/api_account.proto.
 */
export const file_makechain_api_account = /*@__PURE__*/ fileDesc("ChttYWtlY2hhaW4vYXBpX2FjY291bnQucHJvdG8SCW1ha2VjaGFpbiIqChFHZXRBY2NvdW50UmVxdWVzdBIVCg1vd25lcl9hZGRyZXNzGAEgASgMIiUKFkdldEFjY291bnRCeUtleVJlcXVlc3QSCwoDa2V5GAEgASgMIsMFChJHZXRBY2NvdW50UmVzcG9uc2USFAoMZGlzcGxheV9uYW1lGAEgASgJEg4KBmF2YXRhchgCIAEoCRILCgNiaW8YAyABKAkSDwoHd2Vic2l0ZRgEIAEoCRIhCgRrZXlzGAUgAygLMhMubWFrZWNoYWluLktleUVudHJ5EhUKDXN0b3JhZ2VfdW5pdHMYBiABKA0SFQoNcHJvamVjdF9jb3VudBgHIAEoDRIzCg12ZXJpZmljYXRpb25zGAggAygLMhwubWFrZWNoYWluLlZlcmlmaWNhdGlvbkVudHJ5EhUKDW93bmVyX2FkZHJlc3MYCSABKAwSEgoKbGlua19jb3VudBgKIAEoDRIWCg5yZWFjdGlvbl9jb3VudBgLIAEoDRIVCg1jdXN0b2R5X25vbmNlGAwgASgEEhQKDG1heF9wcm9qZWN0cxgNIAEoDRIRCgltYXhfbGlua3MYDiABKA0SGQoRbWF4X3ZlcmlmaWNhdGlvbnMYDyABKA0SFQoNbWF4X3JlYWN0aW9ucxgQIAEoDRIlCh1tYXhfY29sbGFib3JhdG9yc19wZXJfcHJvamVjdBgRIAEoDRIoCiBtYXhfbWVyZ2VfcmVxdWVzdHNfcGVyX3JlcXVlc3RlchgSIAEoDRImCh5tYXhfbWVyZ2VfcmVxdWVzdHNfcGVyX3Byb2plY3QYEyABKA0SEAoIdXNlcm5hbWUYFCABKAkSEQoJa2V5X2NvdW50GBUgASgNEhoKEnZlcmlmaWNhdGlvbl9jb3VudBgWIAEoDRIcChR1c2VybmFtZV9sYXN0X3NldF9hdBgXIAEoDRIkChx1c2VybmFtZV91cGRhdGVfYXZhaWxhYmxlX2F0GBggASgNEjAKDGN1c3RvZHlfa2V5cxgZIAMoCzIaLm1ha2VjaGFpbi5DdXN0b2R5S2V5RW50cnki6AEKDkFjY291bnRTdW1tYXJ5EhUKDW93bmVyX2FkZHJlc3MYASABKAwSEAoIdXNlcm5hbWUYAiABKAkSFAoMZGlzcGxheV9uYW1lGAMgASgJEg4KBmF2YXRhchgEIAEoCRIVCg1zdG9yYWdlX3VuaXRzGAUgASgNEhUKDXByb2plY3RfY291bnQYBiABKA0SEQoJa2V5X2NvdW50GAcgASgNEhoKEnZlcmlmaWNhdGlvbl9jb3VudBgIIAEoDRISCgpsaW5rX2NvdW50GAkgASgNEhYKDnJlYWN0aW9uX2NvdW50GAogASgNIkUKFVNlYXJjaEFjY291bnRzUmVxdWVzdBINCgVxdWVyeRgBIAEoCRINCgVsaW1pdBgCIAEoDRIOCgZjdXJzb3IYAyABKAwiNAoTTGlzdEFjY291bnRzUmVxdWVzdBINCgVsaW1pdBgBIAEoDRIOCgZjdXJzb3IYAiABKAwiWAoUTGlzdEFjY291bnRzUmVzcG9uc2USKwoIYWNjb3VudHMYASADKAsyGS5tYWtlY2hhaW4uQWNjb3VudFN1bW1hcnkSEwoLbmV4dF9jdXJzb3IYAiABKAwieAoZR2V0QWNjb3VudEFjdGl2aXR5UmVxdWVzdBINCgVsaW1pdBgBIAEoDRIlCgV0eXBlcxgCIAMoDjIWLm1ha2VjaGFpbi5NZXNzYWdlVHlwZRIVCg1vd25lcl9hZGRyZXNzGAMgASgMEg4KBmN1cnNvchhkIAEoDCJcChpHZXRBY2NvdW50QWN0aXZpdHlSZXNwb25zZRIpCghtZXNzYWdlcxgBIAMoCzIXLm1ha2VjaGFpbi5NZXNzYWdlRW50cnkSEwoLbmV4dF9jdXJzb3IYZCABKAwidAoIS2V5RW50cnkSCwoDa2V5GAEgASgMEiIKBXNjb3BlGAIgASgOMhMubWFrZWNoYWluLktleVNjb3BlEhgKEGFsbG93ZWRfcHJvamVjdHMYAyADKAwSHQoVcmVxdWVzdF9vd25lcl9hZGRyZXNzGAQgASgMIjMKDUdldEtleVJlcXVlc3QSCwoDa2V5GAEgASgMEhUKDW93bmVyX2FkZHJlc3MYAiABKAwijAEKDkdldEtleVJlc3BvbnNlEgsKA2tleRgBIAEoDBIiCgVzY29wZRgCIAEoDjITLm1ha2VjaGFpbi5LZXlTY29wZRIYChBhbGxvd2VkX3Byb2plY3RzGAMgAygMEhAKCGFkZGVkX2F0GAQgASgNEh0KFXJlcXVlc3Rfb3duZXJfYWRkcmVzcxgFIAEoDCJHCg9MaXN0S2V5c1JlcXVlc3QSDQoFbGltaXQYASABKA0SDgoGY3Vyc29yGAIgASgMEhUKDW93bmVyX2FkZHJlc3MYAyABKAwiUAoQTGlzdEtleXNSZXNwb25zZRInCgRrZXlzGAEgAygLMhkubWFrZWNoYWluLkdldEtleVJlc3BvbnNlEhMKC25leHRfY3Vyc29yGAIgASgMIuQBCg9DdXN0b2R5S2V5RW50cnkSDgoGa2V5X2lkGAEgASgMEjcKDnNpZ25hdHVyZV90eXBlGAIgASgOMh8ubWFrZWNoYWluLkN1c3RvZHlTaWduYXR1cmVUeXBlEhIKCnB1YmxpY19rZXkYAyABKAwSDQoFYWRtaW4YBCABKAgSEgoKZXhwaXJlc19hdBgFIAEoBBIQCghhZGRlZF9hdBgGIAEoDRISCgpyZXZva2VkX2F0GAcgASgNEisKBnN0YXR1cxgIIAEoDjIbLm1ha2VjaGFpbi5DdXN0b2R5S2V5U3RhdHVzIj0KFEdldEN1c3RvZHlLZXlSZXF1ZXN0EhUKDW93bmVyX2FkZHJlc3MYASABKAwSDgoGa2V5X2lkGAIgASgMIkgKFUdldEN1c3RvZHlLZXlSZXNwb25zZRIvCgtjdXN0b2R5X2tleRgBIAEoCzIaLm1ha2VjaGFpbi5DdXN0b2R5S2V5RW50cnkiTgoWTGlzdEN1c3RvZHlLZXlzUmVxdWVzdBINCgVsaW1pdBgBIAEoDRIOCgZjdXJzb3IYAiABKAwSFQoNb3duZXJfYWRkcmVzcxgDIAEoDCJgChdMaXN0Q3VzdG9keUtleXNSZXNwb25zZRIwCgxjdXN0b2R5X2tleXMYASADKAsyGi5tYWtlY2hhaW4uQ3VzdG9keUtleUVudHJ5EhMKC25leHRfY3Vyc29yGAIgASgMIoABChFWZXJpZmljYXRpb25FbnRyeRI2ChF2ZXJpZmljYXRpb25fdHlwZRgBIAEoDjIbLm1ha2VjaGFpbi5WZXJpZmljYXRpb25UeXBlEg8KB2FkZHJlc3MYAiABKAwSEAoIY2hhaW5faWQYAyABKAwSEAoIYWRkZWRfYXQYZCABKA0iUAoYTGlzdFZlcmlmaWNhdGlvbnNSZXF1ZXN0Eg0KBWxpbWl0GAEgASgNEg4KBmN1cnNvchgCIAEoDBIVCg1vd25lcl9hZGRyZXNzGAMgASgMImUKGUxpc3RWZXJpZmljYXRpb25zUmVzcG9uc2USMwoNdmVyaWZpY2F0aW9ucxgBIAMoCzIcLm1ha2VjaGFpbi5WZXJpZmljYXRpb25FbnRyeRITCgtuZXh0X2N1cnNvchgCIAEoDCKcAQoJTGlua0VudHJ5EiYKCWxpbmtfdHlwZRgBIAEoDjITLm1ha2VjaGFpbi5MaW5rVHlwZRIZChF0YXJnZXRfcHJvamVjdF9pZBgCIAEoDBIQCghhZGRlZF9hdBgDIAEoDRIcChR0YXJnZXRfb3duZXJfYWRkcmVzcxgEIAEoDBIcChRzb3VyY2Vfb3duZXJfYWRkcmVzcxgFIAEoDCJwChBMaXN0TGlua3NSZXF1ZXN0EiYKCWxpbmtfdHlwZRgBIAEoDjITLm1ha2VjaGFpbi5MaW5rVHlwZRINCgVsaW1pdBgCIAEoDRIOCgZjdXJzb3IYAyABKAwSFQoNb3duZXJfYWRkcmVzcxgEIAEoDCJNChFMaXN0TGlua3NSZXNwb25zZRIjCgVsaW5rcxgBIAMoCzIULm1ha2VjaGFpbi5MaW5rRW50cnkSEwoLbmV4dF9jdXJzb3IYAiABKAwipgEKGExpc3RMaW5rc0J5VGFyZ2V0UmVxdWVzdBImCglsaW5rX3R5cGUYASABKA4yEy5tYWtlY2hhaW4uTGlua1R5cGUSGwoRdGFyZ2V0X3Byb2plY3RfaWQYAiABKAxIABINCgVsaW1pdBgDIAEoDRIOCgZjdXJzb3IYBCABKAwSHAoUdGFyZ2V0X293bmVyX2FkZHJlc3MYBSABKAxCCAoGdGFyZ2V0IlUKGUxpc3RMaW5rc0J5VGFyZ2V0UmVzcG9uc2USIwoFbGlua3MYASADKAsyFC5tYWtlY2hhaW4uTGlua0VudHJ5EhMKC25leHRfY3Vyc29yGAIgASgMIqYBCg1SZWFjdGlvbkVudHJ5Ei4KDXJlYWN0aW9uX3R5cGUYASABKA4yFy5tYWtlY2hhaW4uUmVhY3Rpb25UeXBlEhkKEXRhcmdldF9wcm9qZWN0X2lkGAIgASgMEhoKEnRhcmdldF9jb21taXRfaGFzaBgDIAEoDBIQCghhZGRlZF9hdBgEIAEoDRIcChRzb3VyY2Vfb3duZXJfYWRkcmVzcxgFIAEoDCKXAQoUTGlzdFJlYWN0aW9uc1JlcXVlc3QSLgoNcmVhY3Rpb25fdHlwZRgBIAEoDjIXLm1ha2VjaGFpbi5SZWFjdGlvblR5cGUSGQoRdGFyZ2V0X3Byb2plY3RfaWQYAiABKAwSDQoFbGltaXQYAyABKA0SDgoGY3Vyc29yGAQgASgMEhUKDW93bmVyX2FkZHJlc3MYBSABKAwiWQoVTGlzdFJlYWN0aW9uc1Jlc3BvbnNlEisKCXJlYWN0aW9ucxgBIAMoCzIYLm1ha2VjaGFpbi5SZWFjdGlvbkVudHJ5EhMKC25leHRfY3Vyc29yGAIgASgMIqQBChxMaXN0UmVhY3Rpb25zQnlUYXJnZXRSZXF1ZXN0Ei4KDXJlYWN0aW9uX3R5cGUYASABKA4yFy5tYWtlY2hhaW4uUmVhY3Rpb25UeXBlEhkKEXRhcmdldF9wcm9qZWN0X2lkGAIgASgMEhoKEnRhcmdldF9jb21taXRfaGFzaBgDIAEoDBINCgVsaW1pdBgEIAEoDRIOCgZjdXJzb3IYBSABKAwiYQodTGlzdFJlYWN0aW9uc0J5VGFyZ2V0UmVzcG9uc2USKwoJcmVhY3Rpb25zGAEgAygLMhgubWFrZWNoYWluLlJlYWN0aW9uRW50cnkSEwoLbmV4dF9jdXJzb3IYAiABKAxCJVojbWFrZWNoYWluL2dlbi9tYWtlY2hhaW47bWFrZWNoYWlucGJiBnByb3RvMw", [file_makechain_account, file_makechain_api_message, file_makechain_custody, file_makechain_message, file_makechain_social]);
/**
 * Describes the message makechain.GetAccountRequest.
 * Use `create(GetAccountRequestSchema)` to create a new message.
 */
export const GetAccountRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 0);
/**
 * Describes the message makechain.GetAccountByKeyRequest.
 * Use `create(GetAccountByKeyRequestSchema)` to create a new message.
 */
export const GetAccountByKeyRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 1);
/**
 * Describes the message makechain.GetAccountResponse.
 * Use `create(GetAccountResponseSchema)` to create a new message.
 */
export const GetAccountResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 2);
/**
 * Describes the message makechain.AccountSummary.
 * Use `create(AccountSummarySchema)` to create a new message.
 */
export const AccountSummarySchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 3);
/**
 * Describes the message makechain.SearchAccountsRequest.
 * Use `create(SearchAccountsRequestSchema)` to create a new message.
 */
export const SearchAccountsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 4);
/**
 * Describes the message makechain.ListAccountsRequest.
 * Use `create(ListAccountsRequestSchema)` to create a new message.
 */
export const ListAccountsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 5);
/**
 * Describes the message makechain.ListAccountsResponse.
 * Use `create(ListAccountsResponseSchema)` to create a new message.
 */
export const ListAccountsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 6);
/**
 * Describes the message makechain.GetAccountActivityRequest.
 * Use `create(GetAccountActivityRequestSchema)` to create a new message.
 */
export const GetAccountActivityRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 7);
/**
 * Describes the message makechain.GetAccountActivityResponse.
 * Use `create(GetAccountActivityResponseSchema)` to create a new message.
 */
export const GetAccountActivityResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 8);
/**
 * Describes the message makechain.KeyEntry.
 * Use `create(KeyEntrySchema)` to create a new message.
 */
export const KeyEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 9);
/**
 * Describes the message makechain.GetKeyRequest.
 * Use `create(GetKeyRequestSchema)` to create a new message.
 */
export const GetKeyRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 10);
/**
 * Describes the message makechain.GetKeyResponse.
 * Use `create(GetKeyResponseSchema)` to create a new message.
 */
export const GetKeyResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 11);
/**
 * Describes the message makechain.ListKeysRequest.
 * Use `create(ListKeysRequestSchema)` to create a new message.
 */
export const ListKeysRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 12);
/**
 * Describes the message makechain.ListKeysResponse.
 * Use `create(ListKeysResponseSchema)` to create a new message.
 */
export const ListKeysResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 13);
/**
 * Describes the message makechain.CustodyKeyEntry.
 * Use `create(CustodyKeyEntrySchema)` to create a new message.
 */
export const CustodyKeyEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 14);
/**
 * Describes the message makechain.GetCustodyKeyRequest.
 * Use `create(GetCustodyKeyRequestSchema)` to create a new message.
 */
export const GetCustodyKeyRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 15);
/**
 * Describes the message makechain.GetCustodyKeyResponse.
 * Use `create(GetCustodyKeyResponseSchema)` to create a new message.
 */
export const GetCustodyKeyResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 16);
/**
 * Describes the message makechain.ListCustodyKeysRequest.
 * Use `create(ListCustodyKeysRequestSchema)` to create a new message.
 */
export const ListCustodyKeysRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 17);
/**
 * Describes the message makechain.ListCustodyKeysResponse.
 * Use `create(ListCustodyKeysResponseSchema)` to create a new message.
 */
export const ListCustodyKeysResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 18);
/**
 * Describes the message makechain.VerificationEntry.
 * Use `create(VerificationEntrySchema)` to create a new message.
 */
export const VerificationEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 19);
/**
 * Describes the message makechain.ListVerificationsRequest.
 * Use `create(ListVerificationsRequestSchema)` to create a new message.
 */
export const ListVerificationsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 20);
/**
 * Describes the message makechain.ListVerificationsResponse.
 * Use `create(ListVerificationsResponseSchema)` to create a new message.
 */
export const ListVerificationsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 21);
/**
 * Describes the message makechain.LinkEntry.
 * Use `create(LinkEntrySchema)` to create a new message.
 */
export const LinkEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 22);
/**
 * Describes the message makechain.ListLinksRequest.
 * Use `create(ListLinksRequestSchema)` to create a new message.
 */
export const ListLinksRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 23);
/**
 * Describes the message makechain.ListLinksResponse.
 * Use `create(ListLinksResponseSchema)` to create a new message.
 */
export const ListLinksResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 24);
/**
 * Describes the message makechain.ListLinksByTargetRequest.
 * Use `create(ListLinksByTargetRequestSchema)` to create a new message.
 */
export const ListLinksByTargetRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 25);
/**
 * Describes the message makechain.ListLinksByTargetResponse.
 * Use `create(ListLinksByTargetResponseSchema)` to create a new message.
 */
export const ListLinksByTargetResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 26);
/**
 * Describes the message makechain.ReactionEntry.
 * Use `create(ReactionEntrySchema)` to create a new message.
 */
export const ReactionEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 27);
/**
 * Describes the message makechain.ListReactionsRequest.
 * Use `create(ListReactionsRequestSchema)` to create a new message.
 */
export const ListReactionsRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 28);
/**
 * Describes the message makechain.ListReactionsResponse.
 * Use `create(ListReactionsResponseSchema)` to create a new message.
 */
export const ListReactionsResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 29);
/**
 * Describes the message makechain.ListReactionsByTargetRequest.
 * Use `create(ListReactionsByTargetRequestSchema)` to create a new message.
 */
export const ListReactionsByTargetRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 30);
/**
 * Describes the message makechain.ListReactionsByTargetResponse.
 * Use `create(ListReactionsByTargetResponseSchema)` to create a new message.
 */
export const ListReactionsByTargetResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_account, 31);
