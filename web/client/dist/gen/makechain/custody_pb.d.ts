import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/custody.proto.
 */
export declare const file_makechain_custody: GenFile;
/**
 * SignerAddBody registers a delegated Ed25519 key, by custody signatures of the account and of
 * the requester.
 *
 * @generated from message makechain.SignerAddBody
 */
export type SignerAddBody = Message<"makechain.SignerAddBody"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: uint32 scope = 2;
     */
    scope: number;
    /**
     * @generated from field: bytes custody_signature = 3;
     */
    custodySignature: Uint8Array;
    /**
     * @generated from field: repeated bytes allowed_projects = 4;
     */
    allowedProjects: Uint8Array[];
    /**
     * @generated from field: uint64 nonce = 6;
     */
    nonce: bigint;
    /**
     * @generated from field: bytes request_signature = 7;
     */
    requestSignature: Uint8Array;
    /**
     * @generated from field: uint64 valid_after = 9;
     */
    validAfter: bigint;
    /**
     * @generated from field: uint64 valid_before = 10;
     */
    validBefore: bigint;
    /**
     * @generated from field: bytes request_owner_address = 11;
     */
    requestOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.SignerAddBody.
 * Use `create(SignerAddBodySchema)` to create a new message.
 */
export declare const SignerAddBodySchema: GenMessage<SignerAddBody>;
/**
 * SignerRemoveBody removes a delegated key, by custody signature.
 *
 * @generated from message makechain.SignerRemoveBody
 */
export type SignerRemoveBody = Message<"makechain.SignerRemoveBody"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes custody_signature = 2;
     */
    custodySignature: Uint8Array;
    /**
     * @generated from field: uint64 nonce = 4;
     */
    nonce: bigint;
    /**
     * @generated from field: uint64 valid_after = 5;
     */
    validAfter: bigint;
    /**
     * @generated from field: uint64 valid_before = 6;
     */
    validBefore: bigint;
};
/**
 * Describes the message makechain.SignerRemoveBody.
 * Use `create(SignerRemoveBodySchema)` to create a new message.
 */
export declare const SignerRemoveBodySchema: GenMessage<SignerRemoveBody>;
/**
 * KeychainAuthorizeBody adds a custody key.
 *
 * @generated from message makechain.KeychainAuthorizeBody
 */
export type KeychainAuthorizeBody = Message<"makechain.KeychainAuthorizeBody"> & {
    /**
     * @generated from field: bytes key_id = 1;
     */
    keyId: Uint8Array;
    /**
     * @generated from field: makechain.CustodySignatureType signature_type = 2;
     */
    signatureType: CustodySignatureType;
    /**
     * @generated from field: bytes public_key = 3;
     */
    publicKey: Uint8Array;
    /**
     * @generated from field: bool admin = 4;
     */
    admin: boolean;
    /**
     * Unix seconds; 0 never expires.
     *
     * @generated from field: uint64 expires_at = 5;
     */
    expiresAt: bigint;
    /**
     * @generated from field: uint64 valid_after = 6;
     */
    validAfter: bigint;
    /**
     * @generated from field: uint64 valid_before = 7;
     */
    validBefore: bigint;
    /**
     * @generated from field: uint64 nonce = 8;
     */
    nonce: bigint;
    /**
     * @generated from field: bytes authorization_signature = 9;
     */
    authorizationSignature: Uint8Array;
    /**
     * @generated from field: bytes witness = 10;
     */
    witness: Uint8Array;
};
/**
 * Describes the message makechain.KeychainAuthorizeBody.
 * Use `create(KeychainAuthorizeBodySchema)` to create a new message.
 */
export declare const KeychainAuthorizeBodySchema: GenMessage<KeychainAuthorizeBody>;
/**
 * KeychainRevokeBody permanently revokes a custody key.
 *
 * @generated from message makechain.KeychainRevokeBody
 */
export type KeychainRevokeBody = Message<"makechain.KeychainRevokeBody"> & {
    /**
     * @generated from field: bytes key_id = 1;
     */
    keyId: Uint8Array;
    /**
     * @generated from field: uint64 valid_after = 2;
     */
    validAfter: bigint;
    /**
     * @generated from field: uint64 valid_before = 3;
     */
    validBefore: bigint;
    /**
     * @generated from field: uint64 nonce = 4;
     */
    nonce: bigint;
    /**
     * @generated from field: bytes revocation_signature = 5;
     */
    revocationSignature: Uint8Array;
    /**
     * @generated from field: bytes witness = 6;
     */
    witness: Uint8Array;
};
/**
 * Describes the message makechain.KeychainRevokeBody.
 * Use `create(KeychainRevokeBodySchema)` to create a new message.
 */
export declare const KeychainRevokeBodySchema: GenMessage<KeychainRevokeBody>;
/**
 * KeyScope orders delegated keys: a key satisfies a requirement of its own or a higher number.
 *
 * @generated from enum makechain.KeyScope
 */
export declare enum KeyScope {
    /**
     * @generated from enum value: KEY_SCOPE_OWNER = 0;
     */
    OWNER = 0,
    /**
     * @generated from enum value: KEY_SCOPE_SIGNING = 1;
     */
    SIGNING = 1,
    /**
     * @generated from enum value: KEY_SCOPE_AGENT = 2;
     */
    AGENT = 2
}
/**
 * Describes the enum makechain.KeyScope.
 */
export declare const KeyScopeSchema: GenEnum<KeyScope>;
/**
 * @generated from enum makechain.CustodySignatureType
 */
export declare enum CustodySignatureType {
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_SECP256K1 = 1;
     */
    SECP256K1 = 1,
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_P256 = 2;
     */
    P256 = 2,
    /**
     * @generated from enum value: CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256 = 3;
     */
    WEBAUTHN_P256 = 3
}
/**
 * Describes the enum makechain.CustodySignatureType.
 */
export declare const CustodySignatureTypeSchema: GenEnum<CustodySignatureType>;
/**
 * @generated from enum makechain.CustodyKeyStatus
 */
export declare enum CustodyKeyStatus {
    /**
     * @generated from enum value: CUSTODY_KEY_STATUS_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * @generated from enum value: CUSTODY_KEY_STATUS_ACTIVE = 1;
     */
    ACTIVE = 1,
    /**
     * @generated from enum value: CUSTODY_KEY_STATUS_REVOKED = 2;
     */
    REVOKED = 2
}
/**
 * Describes the enum makechain.CustodyKeyStatus.
 */
export declare const CustodyKeyStatusSchema: GenEnum<CustodyKeyStatus>;
