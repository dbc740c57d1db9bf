// Reading and streaming blocks and messages.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_block } from "./block_pb.js";
import { file_makechain_message } from "./message_pb.js";
/**
 * Describes the file makechain/api_message.proto.
 */
export const file_makechain_api_message = /*@__PURE__*/ fileDesc("ChttYWtlY2hhaW4vYXBpX21lc3NhZ2UucHJvdG8SCW1ha2VjaGFpbiJJCgxNZXNzYWdlRW50cnkSIwoHbWVzc2FnZRgBIAEoCzISLm1ha2VjaGFpbi5NZXNzYWdlEhQKDGJsb2NrX251bWJlchgCIAEoBCInCg9HZXRCbG9ja1JlcXVlc3QSFAoMYmxvY2tfbnVtYmVyGAEgASgEImsKEEdldEJsb2NrUmVzcG9uc2USHwoFYmxvY2sYASABKAsyEC5tYWtlY2hhaW4uQmxvY2sSNgoRZXhlY3V0aW9uX3BheWxvYWQYAiABKAsyGy5tYWtlY2hhaW4uRXhlY3V0aW9uUGF5bG9hZCJBChFMaXN0QmxvY2tzUmVxdWVzdBINCgVzdGFydBgBIAEoBBINCgVsaW1pdBgCIAEoDRIOCgZjdXJzb3IYZCABKAwibAoSTGlzdEJsb2Nrc1Jlc3BvbnNlEisKBmJsb2NrcxgBIAMoCzIbLm1ha2VjaGFpbi5HZXRCbG9ja1Jlc3BvbnNlEhQKDGxhdGVzdF9ibG9jaxgCIAEoBBITCgtuZXh0X2N1cnNvchhkIAEoDCIhChFHZXRNZXNzYWdlUmVxdWVzdBIMCgRoYXNoGAEgASgMIk8KEkdldE1lc3NhZ2VSZXNwb25zZRIjCgdtZXNzYWdlGAEgASgLMhIubWFrZWNoYWluLk1lc3NhZ2USFAoMYmxvY2tfbnVtYmVyGAIgASgEIoMBChNMaXN0TWVzc2FnZXNSZXF1ZXN0EhMKC3N0YXJ0X2Jsb2NrGAEgASgEEhEKCWVuZF9ibG9jaxgCIAEoBBINCgVsaW1pdBgDIAEoDRIlCgV0eXBlcxgEIAMoDjIWLm1ha2VjaGFpbi5NZXNzYWdlVHlwZRIOCgZjdXJzb3IYZCABKAwifgoUTGlzdE1lc3NhZ2VzUmVzcG9uc2USKQoIbWVzc2FnZXMYASADKAsyFy5tYWtlY2hhaW4uTWVzc2FnZUVudHJ5EhMKC3N0YXJ0X2Jsb2NrGAIgASgEEhEKCWVuZF9ibG9jaxgDIAEoBBITCgtuZXh0X2N1cnNvchhkIAEoDCInChdHZXRNZXNzYWdlU3RhdHVzUmVxdWVzdBIMCgRoYXNoGAEgASgMIrIBChhHZXRNZXNzYWdlU3RhdHVzUmVzcG9uc2USDAoEaGFzaBgBIAEoDBImCgVzdGF0ZRgCIAEoDjIXLm1ha2VjaGFpbi5NZXNzYWdlU3RhdGUSFAoMYmxvY2tfbnVtYmVyGAMgASgEEg0KBWluZGV4GAQgASgNEg0KBXN0YWdlGAUgASgJEgwKBGNvZGUYBiABKAkSDQoFZXJyb3IYByABKAkSDwoHc2Vlbl9hdBgIIAEoBCJhCh9HZXRNZXNzYWdlSW5jbHVzaW9uUHJvb2ZSZXF1ZXN0EhIKCmJsb2NrX2hhc2gYASABKAwSFAoMbWVzc2FnZV9oYXNoGAIgASgMEhQKDGJsb2NrX251bWJlchhkIAEoBCJ0CiBHZXRNZXNzYWdlSW5jbHVzaW9uUHJvb2ZSZXNwb25zZRINCgVwcm9vZhgBIAEoDBIQCghwb3NpdGlvbhgCIAEoDRIZChF0cmFuc2FjdGlvbnNfcm9vdBgDIAEoDBIUCgxibG9ja19udW1iZXIYZCABKAQiowEKEFN1YnNjcmliZVJlcXVlc3QSEgoKcHJvamVjdF9pZBgBIAEoDBIlCgV0eXBlcxgCIAMoDjIWLm1ha2VjaGFpbi5NZXNzYWdlVHlwZRIVCg1vd25lcl9hZGRyZXNzGGQgASgMEhgKC3N0YXJ0X2Jsb2NrGGUgASgESACIAQESEwoLc3RhcnRfaW5kZXgYZiABKA1CDgoMX3N0YXJ0X2Jsb2NrIkIKFlN1YnNjcmliZUJsb2Nrc1JlcXVlc3QSGAoLc3RhcnRfYmxvY2sYZCABKARIAIgBAUIOCgxfc3RhcnRfYmxvY2sqlwEKDE1lc3NhZ2VTdGF0ZRIZChVNRVNTQUdFX1NUQVRFX1VOS05PV04QABIZChVNRVNTQUdFX1NUQVRFX1BFTkRJTkcQARIbChdNRVNTQUdFX1NUQVRFX0NPTU1JVFRFRBACEhkKFU1FU1NBR0VfU1RBVEVfUkVGVVNFRBADEhkKFU1FU1NBR0VfU1RBVEVfRVhQSVJFRBAEQiVaI21ha2VjaGFpbi9nZW4vbWFrZWNoYWluO21ha2VjaGFpbnBiYgZwcm90bzM", [file_makechain_block, file_makechain_message]);
/**
 * Describes the message makechain.MessageEntry.
 * Use `create(MessageEntrySchema)` to create a new message.
 */
export const MessageEntrySchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 0);
/**
 * Describes the message makechain.GetBlockRequest.
 * Use `create(GetBlockRequestSchema)` to create a new message.
 */
export const GetBlockRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 1);
/**
 * Describes the message makechain.GetBlockResponse.
 * Use `create(GetBlockResponseSchema)` to create a new message.
 */
export const GetBlockResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 2);
/**
 * Describes the message makechain.ListBlocksRequest.
 * Use `create(ListBlocksRequestSchema)` to create a new message.
 */
export const ListBlocksRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 3);
/**
 * Describes the message makechain.ListBlocksResponse.
 * Use `create(ListBlocksResponseSchema)` to create a new message.
 */
export const ListBlocksResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 4);
/**
 * Describes the message makechain.GetMessageRequest.
 * Use `create(GetMessageRequestSchema)` to create a new message.
 */
export const GetMessageRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 5);
/**
 * Describes the message makechain.GetMessageResponse.
 * Use `create(GetMessageResponseSchema)` to create a new message.
 */
export const GetMessageResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 6);
/**
 * Describes the message makechain.ListMessagesRequest.
 * Use `create(ListMessagesRequestSchema)` to create a new message.
 */
export const ListMessagesRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 7);
/**
 * Describes the message makechain.ListMessagesResponse.
 * Use `create(ListMessagesResponseSchema)` to create a new message.
 */
export const ListMessagesResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 8);
/**
 * Describes the message makechain.GetMessageStatusRequest.
 * Use `create(GetMessageStatusRequestSchema)` to create a new message.
 */
export const GetMessageStatusRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 9);
/**
 * Describes the message makechain.GetMessageStatusResponse.
 * Use `create(GetMessageStatusResponseSchema)` to create a new message.
 */
export const GetMessageStatusResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 10);
/**
 * Describes the message makechain.GetMessageInclusionProofRequest.
 * Use `create(GetMessageInclusionProofRequestSchema)` to create a new message.
 */
export const GetMessageInclusionProofRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 11);
/**
 * Describes the message makechain.GetMessageInclusionProofResponse.
 * Use `create(GetMessageInclusionProofResponseSchema)` to create a new message.
 */
export const GetMessageInclusionProofResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 12);
/**
 * Describes the message makechain.SubscribeRequest.
 * Use `create(SubscribeRequestSchema)` to create a new message.
 */
export const SubscribeRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 13);
/**
 * Describes the message makechain.SubscribeBlocksRequest.
 * Use `create(SubscribeBlocksRequestSchema)` to create a new message.
 */
export const SubscribeBlocksRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_message, 14);
/**
 * MessageState is the status of an accepted message.
 *
 * @generated from enum makechain.MessageState
 */
export var MessageState;
(function (MessageState) {
    /**
     * @generated from enum value: MESSAGE_STATE_UNKNOWN = 0;
     */
    MessageState[MessageState["UNKNOWN"] = 0] = "UNKNOWN";
    /**
     * @generated from enum value: MESSAGE_STATE_PENDING = 1;
     */
    MessageState[MessageState["PENDING"] = 1] = "PENDING";
    /**
     * @generated from enum value: MESSAGE_STATE_COMMITTED = 2;
     */
    MessageState[MessageState["COMMITTED"] = 2] = "COMMITTED";
    /**
     * @generated from enum value: MESSAGE_STATE_REFUSED = 3;
     */
    MessageState[MessageState["REFUSED"] = 3] = "REFUSED";
    /**
     * @generated from enum value: MESSAGE_STATE_EXPIRED = 4;
     */
    MessageState[MessageState["EXPIRED"] = 4] = "EXPIRED";
})(MessageState || (MessageState = {}));
/**
 * Describes the enum makechain.MessageState.
 */
export const MessageStateSchema = /*@__PURE__*/ enumDesc(file_makechain_api_message, 0);
