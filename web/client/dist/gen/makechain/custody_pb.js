// Custody: management of an account's keys by wallet signatures.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/custody.proto.
 */
export const file_makechain_custody = /*@__PURE__*/ fileDesc("ChdtYWtlY2hhaW4vY3VzdG9keS5wcm90bxIJbWFrZWNoYWluItQBCg1TaWduZXJBZGRCb2R5EgsKA2tleRgBIAEoDBINCgVzY29wZRgCIAEoDRIZChFjdXN0b2R5X3NpZ25hdHVyZRgDIAEoDBIYChBhbGxvd2VkX3Byb2plY3RzGAQgAygMEg0KBW5vbmNlGAYgASgEEhkKEXJlcXVlc3Rfc2lnbmF0dXJlGAcgASgMEhMKC3ZhbGlkX2FmdGVyGAkgASgEEhQKDHZhbGlkX2JlZm9yZRgKIAEoBBIdChVyZXF1ZXN0X293bmVyX2FkZHJlc3MYCyABKAwidAoQU2lnbmVyUmVtb3ZlQm9keRILCgNrZXkYASABKAwSGQoRY3VzdG9keV9zaWduYXR1cmUYAiABKAwSDQoFbm9uY2UYBCABKAQSEwoLdmFsaWRfYWZ0ZXIYBSABKAQSFAoMdmFsaWRfYmVmb3JlGAYgASgEIoMCChVLZXljaGFpbkF1dGhvcml6ZUJvZHkSDgoGa2V5X2lkGAEgASgMEjcKDnNpZ25hdHVyZV90eXBlGAIgASgOMh8ubWFrZWNoYWluLkN1c3RvZHlTaWduYXR1cmVUeXBlEhIKCnB1YmxpY19rZXkYAyABKAwSDQoFYWRtaW4YBCABKAgSEgoKZXhwaXJlc19hdBgFIAEoBBITCgt2YWxpZF9hZnRlchgGIAEoBBIUCgx2YWxpZF9iZWZvcmUYByABKAQSDQoFbm9uY2UYCCABKAQSHwoXYXV0aG9yaXphdGlvbl9zaWduYXR1cmUYCSABKAwSDwoHd2l0bmVzcxgKIAEoDCKNAQoSS2V5Y2hhaW5SZXZva2VCb2R5Eg4KBmtleV9pZBgBIAEoDBITCgt2YWxpZF9hZnRlchgCIAEoBBIUCgx2YWxpZF9iZWZvcmUYAyABKAQSDQoFbm9uY2UYBCABKAQSHAoUcmV2b2NhdGlvbl9zaWduYXR1cmUYBSABKAwSDwoHd2l0bmVzcxgGIAEoDCpLCghLZXlTY29wZRITCg9LRVlfU0NPUEVfT1dORVIQABIVChFLRVlfU0NPUEVfU0lHTklORxABEhMKD0tFWV9TQ09QRV9BR0VOVBACKqgBChRDdXN0b2R5U2lnbmF0dXJlVHlwZRIfChtDVVNUT0RZX1NJR05BVFVSRV9UWVBFX05PTkUQABIkCiBDVVNUT0RZX1NJR05BVFVSRV9UWVBFX1NFQ1AyNTZLMRABEh8KG0NVU1RPRFlfU0lHTkFUVVJFX1RZUEVfUDI1NhACEigKJENVU1RPRFlfU0lHTkFUVVJFX1RZUEVfV0VCQVVUSE5fUDI1NhADKnUKEEN1c3RvZHlLZXlTdGF0dXMSIgoeQ1VTVE9EWV9LRVlfU1RBVFVTX1VOU1BFQ0lGSUVEEAASHQoZQ1VTVE9EWV9LRVlfU1RBVFVTX0FDVElWRRABEh4KGkNVU1RPRFlfS0VZX1NUQVRVU19SRVZPS0VEEAJCJVojbWFrZWNoYWluL2dlbi9tYWtlY2hhaW47bWFrZWNoYWlucGJiBnByb3RvMw");
/**
 * Describes the message makechain.SignerAddBody.
 * Use `create(SignerAddBodySchema)` to create a new message.
 */
export const SignerAddBodySchema = /*@__PURE__*/ messageDesc(file_makechain_custody, 0);
/**
 * Describes the message makechain.SignerRemoveBody.
 * Use `create(SignerRemoveBodySchema)` to create a new message.
 */
export const SignerRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_custody, 1);
/**
 * Describes the message makechain.KeychainAuthorizeBody.
 * Use `create(KeychainAuthorizeBodySchema)` to create a new message.
 */
export const KeychainAuthorizeBodySchema = /*@__PURE__*/ messageDesc(file_makechain_custody, 2);
/**
 * Describes the message makechain.KeychainRevokeBody.
 * Use `create(KeychainRevokeBodySchema)` to create a new message.
 */
export const KeychainRevokeBodySchema = /*@__PURE__*/ messageDesc(file_makechain_custody, 3);
/**
 * KeyScope orders delegated keys: a key satisfies a requirement of its own or a higher number.
 *
 * @generated from enum makechain.KeyScope
 */
export var KeyScope;
(function (KeyScope) {
    /**
     * @generated from enum value: KEY_SCOPE_OWNER = 0;
     */
    KeyScope[KeyScope["OWNER"] = 0] = "OWNER";
    /**
     * @generated from enum value: KEY_SCOPE_SIGNING = 1;
     */
    KeyScope[KeyScope["SIGNING"] = 1] = "SIGNING";
    /**
     * @generated from enum value: KEY_SCOPE_AGENT = 2;
     */
    KeyScope[KeyScope["AGENT"] = 2] = "AGENT";
})(KeyScope || (KeyScope = {}));
/**
 * Describes the enum makechain.KeyScope.
 */
export const KeyScopeSchema = /*@__PURE__*/ enumDesc(file_makechain_custody, 0);
/**
 * @generated from enum makechain.CustodySignatureType
 */
export var CustodySignatureType;
(function (CustodySignatureType) {
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_NONE = 0;
     */
    CustodySignatureType[CustodySignatureType["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_SECP256K1 = 1;
     */
    CustodySignatureType[CustodySignatureType["SECP256K1"] = 1] = "SECP256K1";
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_P256 = 2;
     */
    CustodySignatureType[CustodySignatureType["P256"] = 2] = "P256";
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256 = 3;
     */
    CustodySignatureType[CustodySignatureType["WEBAUTHN_P256"] = 3] = "WEBAUTHN_P256";
})(CustodySignatureType || (CustodySignatureType = {}));
/**
 * Describes the enum makechain.CustodySignatureType.
 */
export const CustodySignatureTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_custody, 1);
/**
 * @generated from enum makechain.CustodyKeyStatus
 */
export var CustodyKeyStatus;
(function (CustodyKeyStatus) {
    /**
     * @generated from enum value: CUSTODY_KEY_STATUS_UNSPECIFIED = 0;
     */
    CustodyKeyStatus[CustodyKeyStatus["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * @generated from enum value: CUSTODY_KEY_STATUS_ACTIVE = 1;
     */
    CustodyKeyStatus[CustodyKeyStatus["ACTIVE"] = 1] = "ACTIVE";
    /**
     * @generated from enum value: CUSTODY_KEY_STATUS_REVOKED = 2;
     */
    CustodyKeyStatus[CustodyKeyStatus["REVOKED"] = 2] = "REVOKED";
})(CustodyKeyStatus || (CustodyKeyStatus = {}));
/**
 * Describes the enum makechain.CustodyKeyStatus.
 */
export const CustodyKeyStatusSchema = /*@__PURE__*/ enumDesc(file_makechain_custody, 2);
