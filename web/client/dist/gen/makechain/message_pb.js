// The signed envelope of every write.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_account } from "./account_pb.js";
import { file_makechain_collaborator } from "./collaborator_pb.js";
import { file_makechain_commit } from "./commit_pb.js";
import { file_makechain_custody } from "./custody_pb.js";
import { file_makechain_merge_request } from "./merge_request_pb.js";
import { file_makechain_project } from "./project_pb.js";
import { file_makechain_ref } from "./ref_pb.js";
import { file_makechain_social } from "./social_pb.js";
import { file_makechain_storage } from "./storage_pb.js";
/**
 * Describes the file makechain/message.proto.
 */
export const file_makechain_message = /*@__PURE__*/ fileDesc("ChdtYWtlY2hhaW4vbWVzc2FnZS5wcm90bxIJbWFrZWNoYWluIq0BCgdNZXNzYWdlEiQKBGRhdGEYASABKAsyFi5tYWtlY2hhaW4uTWVzc2FnZURhdGESDAoEaGFzaBgCIAEoDBIRCglzaWduYXR1cmUYAyABKAwSDgoGc2lnbmVyGAQgASgMEhcKCmRhdGFfYnl0ZXMYBSABKAxIAIgBARIUCgxibG9ja19udW1iZXIYZCABKAQSDQoFaW5kZXgYZSABKA1CDQoLX2RhdGFfYnl0ZXMisQwKC01lc3NhZ2VEYXRhEiQKBHR5cGUYASABKA4yFi5tYWtlY2hhaW4uTWVzc2FnZVR5cGUSEQoJdGltZXN0YW1wGAIgASgNEiMKB25ldHdvcmsYAyABKA4yEi5tYWtlY2hhaW4uTmV0d29yaxIVCg1vd25lcl9hZGRyZXNzGAQgASgMEjYKDnByb2plY3RfY3JlYXRlGAUgASgLMhwubWFrZWNoYWluLlByb2plY3RDcmVhdGVCb2R5SAASOgoQcHJvamVjdF9tZXRhZGF0YRgGIAEoCzIeLm1ha2VjaGFpbi5Qcm9qZWN0TWV0YWRhdGFCb2R5SAASOAoPcHJvamVjdF9hcmNoaXZlGAcgASgLMh0ubWFrZWNoYWluLlByb2plY3RBcmNoaXZlQm9keUgAEiMKBGZvcmsYCCABKAsyEy5tYWtlY2hhaW4uRm9ya0JvZHlIABI2Cg5wcm9qZWN0X3JlbW92ZRgJIAEoCzIcLm1ha2VjaGFpbi5Qcm9qZWN0UmVtb3ZlQm9keUgAEi4KCnJlZl91cGRhdGUYCiABKAsyGC5tYWtlY2hhaW4uUmVmVXBkYXRlQm9keUgAEi4KCnJlZl9kZWxldGUYCyABKAsyGC5tYWtlY2hhaW4uUmVmRGVsZXRlQm9keUgAEjQKDWNvbW1pdF9idW5kbGUYDCABKAsyGy5tYWtlY2hhaW4uQ29tbWl0QnVuZGxlQm9keUgAEjoKEGNvbGxhYm9yYXRvcl9hZGQYDSABKAsyHi5tYWtlY2hhaW4uQ29sbGFib3JhdG9yQWRkQm9keUgAEkAKE2NvbGxhYm9yYXRvcl9yZW1vdmUYDiABKAsyIS5tYWtlY2hhaW4uQ29sbGFib3JhdG9yUmVtb3ZlQm9keUgAEjIKDGFjY291bnRfZGF0YRgPIAEoCzIaLm1ha2VjaGFpbi5BY2NvdW50RGF0YUJvZHlIABI6ChB2ZXJpZmljYXRpb25fYWRkGBAgASgLMh4ubWFrZWNoYWluLlZlcmlmaWNhdGlvbkFkZEJvZHlIABJAChN2ZXJpZmljYXRpb25fcmVtb3ZlGBEgASgLMiEubWFrZWNoYWluLlZlcmlmaWNhdGlvblJlbW92ZUJvZHlIABI0Cg1zdG9yYWdlX2NsYWltGBIgASgLMhsubWFrZWNoYWluLlN0b3JhZ2VDbGFpbUJvZHlIABI4Cg91c2VybmFtZV9jcmVhdGUYEyABKAsyHS5tYWtlY2hhaW4uVXNlcm5hbWVDcmVhdGVCb2R5SAASOAoPdXNlcm5hbWVfdXBkYXRlGBQgASgLMh0ubWFrZWNoYWluLlVzZXJuYW1lVXBkYXRlQm9keUgAEioKCGxpbmtfYWRkGBUgASgLMhYubWFrZWNoYWluLkxpbmtBZGRCb2R5SAASMAoLbGlua19yZW1vdmUYFiABKAsyGS5tYWtlY2hhaW4uTGlua1JlbW92ZUJvZHlIABIyCgxyZWFjdGlvbl9hZGQYFyABKAsyGi5tYWtlY2hhaW4uUmVhY3Rpb25BZGRCb2R5SAASOAoPcmVhY3Rpb25fcmVtb3ZlGBggASgLMh0ubWFrZWNoYWluLlJlYWN0aW9uUmVtb3ZlQm9keUgAEi4KCnNpZ25lcl9hZGQYGSABKAsyGC5tYWtlY2hhaW4uU2lnbmVyQWRkQm9keUgAEjQKDXNpZ25lcl9yZW1vdmUYGiABKAsyGy5tYWtlY2hhaW4uU2lnbmVyUmVtb3ZlQm9keUgAEjsKEW1lcmdlX3JlcXVlc3RfYWRkGBsgASgLMh4ubWFrZWNoYWluLk1lcmdlUmVxdWVzdEFkZEJvZHlIABJBChRtZXJnZV9yZXF1ZXN0X3JlbW92ZRgcIAEoCzIhLm1ha2VjaGFpbi5NZXJnZVJlcXVlc3RSZW1vdmVCb2R5SAASPgoSa2V5Y2hhaW5fYXV0aG9yaXplGB0gASgLMiAubWFrZWNoYWluLktleWNoYWluQXV0aG9yaXplQm9keUgAEjgKD2tleWNoYWluX3Jldm9rZRgeIAEoCzIdLm1ha2VjaGFpbi5LZXljaGFpblJldm9rZUJvZHlIAEIGCgRib2R5KvoGCgtNZXNzYWdlVHlwZRIVChFNRVNTQUdFX1RZUEVfTk9ORRAAEh8KG01FU1NBR0VfVFlQRV9QUk9KRUNUX0NSRUFURRABEiEKHU1FU1NBR0VfVFlQRV9QUk9KRUNUX01FVEFEQVRBEAISIAocTUVTU0FHRV9UWVBFX1BST0pFQ1RfQVJDSElWRRADEhUKEU1FU1NBR0VfVFlQRV9GT1JLEAQSHwobTUVTU0FHRV9UWVBFX1BST0pFQ1RfUkVNT1ZFEAUSGwoXTUVTU0FHRV9UWVBFX1JFRl9VUERBVEUQBhIbChdNRVNTQUdFX1RZUEVfUkVGX0RFTEVURRAHEhsKF01FU1NBR0VfVFlQRV9TSUdORVJfQUREEAgSHgoaTUVTU0FHRV9UWVBFX1NJR05FUl9SRU1PVkUQCRIeChpNRVNTQUdFX1RZUEVfQ09NTUlUX0JVTkRMRRAKEiEKHU1FU1NBR0VfVFlQRV9DT0xMQUJPUkFUT1JfQUREEAsSJAogTUVTU0FHRV9UWVBFX0NPTExBQk9SQVRPUl9SRU1PVkUQDBIdChlNRVNTQUdFX1RZUEVfQUNDT1VOVF9EQVRBEA0SIQodTUVTU0FHRV9UWVBFX1ZFUklGSUNBVElPTl9BREQQDhIkCiBNRVNTQUdFX1RZUEVfVkVSSUZJQ0FUSU9OX1JFTU9WRRAPEh4KGk1FU1NBR0VfVFlQRV9TVE9SQUdFX0NMQUlNEBASIAocTUVTU0FHRV9UWVBFX1VTRVJOQU1FX0NSRUFURRAREiAKHE1FU1NBR0VfVFlQRV9VU0VSTkFNRV9VUERBVEUQEhIZChVNRVNTQUdFX1RZUEVfTElOS19BREQQExIcChhNRVNTQUdFX1RZUEVfTElOS19SRU1PVkUQFBIdChlNRVNTQUdFX1RZUEVfUkVBQ1RJT05fQUREEBUSIAocTUVTU0FHRV9UWVBFX1JFQUNUSU9OX1JFTU9WRRAWEiIKHk1FU1NBR0VfVFlQRV9NRVJHRV9SRVFVRVNUX0FERBAXEiUKIU1FU1NBR0VfVFlQRV9NRVJHRV9SRVFVRVNUX1JFTU9WRRAYEiMKH01FU1NBR0VfVFlQRV9LRVlDSEFJTl9BVVRIT1JJWkUQGRIgChxNRVNTQUdFX1RZUEVfS0VZQ0hBSU5fUkVWT0tFEBoqWQoHTmV0d29yaxIQCgxORVRXT1JLX05PTkUQABITCg9ORVRXT1JLX01BSU5ORVQQARITCg9ORVRXT1JLX1RFU1RORVQQAhISCg5ORVRXT1JLX0RFVk5FVBADQiVaI21ha2VjaGFpbi9nZW4vbWFrZWNoYWluO21ha2VjaGFpbnBiYgZwcm90bzM", [file_makechain_account, file_makechain_collaborator, file_makechain_commit, file_makechain_custody, file_makechain_merge_request, file_makechain_project, file_makechain_ref, file_makechain_social, file_makechain_storage]);
/**
 * Describes the message makechain.Message.
 * Use `create(MessageSchema)` to create a new message.
 */
export const MessageSchema = /*@__PURE__*/ messageDesc(file_makechain_message, 0);
/**
 * Describes the message makechain.MessageData.
 * Use `create(MessageDataSchema)` to create a new message.
 */
export const MessageDataSchema = /*@__PURE__*/ messageDesc(file_makechain_message, 1);
/**
 * @generated from enum makechain.MessageType
 */
export var MessageType;
(function (MessageType) {
    /**
     * @generated from enum value: MESSAGE_TYPE_NONE = 0;
     */
    MessageType[MessageType["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_CREATE = 1;
     */
    MessageType[MessageType["PROJECT_CREATE"] = 1] = "PROJECT_CREATE";
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_METADATA = 2;
     */
    MessageType[MessageType["PROJECT_METADATA"] = 2] = "PROJECT_METADATA";
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_ARCHIVE = 3;
     */
    MessageType[MessageType["PROJECT_ARCHIVE"] = 3] = "PROJECT_ARCHIVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_FORK = 4;
     */
    MessageType[MessageType["FORK"] = 4] = "FORK";
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_REMOVE = 5;
     */
    MessageType[MessageType["PROJECT_REMOVE"] = 5] = "PROJECT_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_REF_UPDATE = 6;
     */
    MessageType[MessageType["REF_UPDATE"] = 6] = "REF_UPDATE";
    /**
     * @generated from enum value: MESSAGE_TYPE_REF_DELETE = 7;
     */
    MessageType[MessageType["REF_DELETE"] = 7] = "REF_DELETE";
    /**
     * @generated from enum value: MESSAGE_TYPE_SIGNER_ADD = 8;
     */
    MessageType[MessageType["SIGNER_ADD"] = 8] = "SIGNER_ADD";
    /**
     * @generated from enum value: MESSAGE_TYPE_SIGNER_REMOVE = 9;
     */
    MessageType[MessageType["SIGNER_REMOVE"] = 9] = "SIGNER_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_COMMIT_BUNDLE = 10;
     */
    MessageType[MessageType["COMMIT_BUNDLE"] = 10] = "COMMIT_BUNDLE";
    /**
     * @generated from enum value: MESSAGE_TYPE_COLLABORATOR_ADD = 11;
     */
    MessageType[MessageType["COLLABORATOR_ADD"] = 11] = "COLLABORATOR_ADD";
    /**
     * @generated from enum value: MESSAGE_TYPE_COLLABORATOR_REMOVE = 12;
     */
    MessageType[MessageType["COLLABORATOR_REMOVE"] = 12] = "COLLABORATOR_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_ACCOUNT_DATA = 13;
     */
    MessageType[MessageType["ACCOUNT_DATA"] = 13] = "ACCOUNT_DATA";
    /**
     * @generated from enum value: MESSAGE_TYPE_VERIFICATION_ADD = 14;
     */
    MessageType[MessageType["VERIFICATION_ADD"] = 14] = "VERIFICATION_ADD";
    /**
     * @generated from enum value: MESSAGE_TYPE_VERIFICATION_REMOVE = 15;
     */
    MessageType[MessageType["VERIFICATION_REMOVE"] = 15] = "VERIFICATION_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_STORAGE_CLAIM = 16;
     */
    MessageType[MessageType["STORAGE_CLAIM"] = 16] = "STORAGE_CLAIM";
    /**
     * @generated from enum value: MESSAGE_TYPE_USERNAME_CREATE = 17;
     */
    MessageType[MessageType["USERNAME_CREATE"] = 17] = "USERNAME_CREATE";
    /**
     * @generated from enum value: MESSAGE_TYPE_USERNAME_UPDATE = 18;
     */
    MessageType[MessageType["USERNAME_UPDATE"] = 18] = "USERNAME_UPDATE";
    /**
     * @generated from enum value: MESSAGE_TYPE_LINK_ADD = 19;
     */
    MessageType[MessageType["LINK_ADD"] = 19] = "LINK_ADD";
    /**
     * @generated from enum value: MESSAGE_TYPE_LINK_REMOVE = 20;
     */
    MessageType[MessageType["LINK_REMOVE"] = 20] = "LINK_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_REACTION_ADD = 21;
     */
    MessageType[MessageType["REACTION_ADD"] = 21] = "REACTION_ADD";
    /**
     * @generated from enum value: MESSAGE_TYPE_REACTION_REMOVE = 22;
     */
    MessageType[MessageType["REACTION_REMOVE"] = 22] = "REACTION_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_MERGE_REQUEST_ADD = 23;
     */
    MessageType[MessageType["MERGE_REQUEST_ADD"] = 23] = "MERGE_REQUEST_ADD";
    /**
     * @generated from enum value: MESSAGE_TYPE_MERGE_REQUEST_REMOVE = 24;
     */
    MessageType[MessageType["MERGE_REQUEST_REMOVE"] = 24] = "MERGE_REQUEST_REMOVE";
    /**
     * @generated from enum value: MESSAGE_TYPE_KEYCHAIN_AUTHORIZE = 25;
     */
    MessageType[MessageType["KEYCHAIN_AUTHORIZE"] = 25] = "KEYCHAIN_AUTHORIZE";
    /**
     * @generated from enum value: MESSAGE_TYPE_KEYCHAIN_REVOKE = 26;
     */
    MessageType[MessageType["KEYCHAIN_REVOKE"] = 26] = "KEYCHAIN_REVOKE";
})(MessageType || (MessageType = {}));
/**
 * Describes the enum makechain.MessageType.
 */
export const MessageTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_message, 0);
/**
 * @generated from enum makechain.Network
 */
export var Network;
(function (Network) {
    /**
     * @generated from enum value: NETWORK_NONE = 0;
     */
    Network[Network["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: NETWORK_MAINNET = 1;
     */
    Network[Network["MAINNET"] = 1] = "MAINNET";
    /**
     * @generated from enum value: NETWORK_TESTNET = 2;
     */
    Network[Network["TESTNET"] = 2] = "TESTNET";
    /**
     * @generated from enum value: NETWORK_DEVNET = 3;
     */
    Network[Network["DEVNET"] = 3] = "DEVNET";
})(Network || (Network = {}));
/**
 * Describes the enum makechain.Network.
 */
export const NetworkSchema = /*@__PURE__*/ enumDesc(file_makechain_message, 1);
