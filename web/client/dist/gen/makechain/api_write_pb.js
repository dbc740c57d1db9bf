// Submitting messages.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_message } from "./message_pb.js";
/**
 * Describes the file makechain/api_write.proto.
 */
export const file_makechain_api_write = /*@__PURE__*/ fileDesc("ChltYWtlY2hhaW4vYXBpX3dyaXRlLnByb3RvEgltYWtlY2hhaW4ieQoUU3VibWl0TWVzc2FnZVJlcXVlc3QSIwoHbWVzc2FnZRgBIAEoCzISLm1ha2VjaGFpbi5NZXNzYWdlEiMKBHdhaXQYZCABKA4yFS5tYWtlY2hhaW4uU3VibWl0V2FpdBIXCg93YWl0X3RpbWVvdXRfbXMYZSABKA0ieQoVU3VibWl0TWVzc2FnZVJlc3BvbnNlEgwKBGhhc2gYASABKAwSEAoIYWNjZXB0ZWQYAiABKAgSDQoFZXJyb3IYAyABKAkSDAoEY29kZRhkIAEoCRINCgVzdGFnZRhlIAEoCRIUCgxibG9ja19udW1iZXIYZiABKAQiOgoSQmF0Y2hTdWJtaXRSZXF1ZXN0EiQKCG1lc3NhZ2VzGAEgAygLMhIubWFrZWNoYWluLk1lc3NhZ2UiXwoRQmF0Y2hTdWJtaXRSZXN1bHQSDAoEaGFzaBgBIAEoDBIQCghhY2NlcHRlZBgCIAEoCBINCgVlcnJvchgDIAEoCRIMCgRjb2RlGGQgASgJEg0KBXN0YWdlGGUgASgJInQKE0JhdGNoU3VibWl0UmVzcG9uc2USLQoHcmVzdWx0cxgBIAMoCzIcLm1ha2VjaGFpbi5CYXRjaFN1Ym1pdFJlc3VsdBIWCg5hY2NlcHRlZF9jb3VudBgCIAEoDRIWCg5yZWplY3RlZF9jb3VudBgDIAEoDSI7ChREcnlSdW5NZXNzYWdlUmVxdWVzdBIjCgdtZXNzYWdlGAEgASgLMhIubWFrZWNoYWluLk1lc3NhZ2UiXwoVRHJ5UnVuTWVzc2FnZVJlc3BvbnNlEhQKDHdvdWxkX2FjY2VwdBgBIAEoCBINCgVlcnJvchgCIAEoCRITCgtlcnJvcl9zdGFnZRgDIAEoCRIMCgRjb2RlGGQgASgJKj0KClN1Ym1pdFdhaXQSFAoQU1VCTUlUX1dBSVRfTk9ORRAAEhkKFVNVQk1JVF9XQUlUX0NPTU1JVFRFRBABQiVaI21ha2VjaGFpbi9nZW4vbWFrZWNoYWluO21ha2VjaGFpbnBiYgZwcm90bzM", [file_makechain_message]);
/**
 * Describes the message makechain.SubmitMessageRequest.
 * Use `create(SubmitMessageRequestSchema)` to create a new message.
 */
export const SubmitMessageRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 0);
/**
 * Describes the message makechain.SubmitMessageResponse.
 * Use `create(SubmitMessageResponseSchema)` to create a new message.
 */
export const SubmitMessageResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 1);
/**
 * Describes the message makechain.BatchSubmitRequest.
 * Use `create(BatchSubmitRequestSchema)` to create a new message.
 */
export const BatchSubmitRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 2);
/**
 * Describes the message makechain.BatchSubmitResult.
 * Use `create(BatchSubmitResultSchema)` to create a new message.
 */
export const BatchSubmitResultSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 3);
/**
 * Describes the message makechain.BatchSubmitResponse.
 * Use `create(BatchSubmitResponseSchema)` to create a new message.
 */
export const BatchSubmitResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 4);
/**
 * Describes the message makechain.DryRunMessageRequest.
 * Use `create(DryRunMessageRequestSchema)` to create a new message.
 */
export const DryRunMessageRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 5);
/**
 * Describes the message makechain.DryRunMessageResponse.
 * Use `create(DryRunMessageResponseSchema)` to create a new message.
 */
export const DryRunMessageResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_api_write, 6);
/**
 * @generated from enum makechain.SubmitWait
 */
export var SubmitWait;
(function (SubmitWait) {
    /**
     * @generated from enum value: SUBMIT_WAIT_NONE = 0;
     */
    SubmitWait[SubmitWait["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: SUBMIT_WAIT_COMMITTED = 1;
     */
    SubmitWait[SubmitWait["COMMITTED"] = 1] = "COMMITTED";
})(SubmitWait || (SubmitWait = {}));
/**
 * Describes the enum makechain.SubmitWait.
 */
export const SubmitWaitSchema = /*@__PURE__*/ enumDesc(file_makechain_api_write, 0);
