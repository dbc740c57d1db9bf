import { CustodySignatureType } from "../gen/schema.js";
import type { MessageInit } from "./message.js";
/** Custody is a key that can manage the keys of an account. */
export interface Custody {
    readonly type: CustodySignatureType;
    /** The key as KEYCHAIN_AUTHORIZE contains it: 64 bytes, for secp256k1 65. */
    readonly publicKey: Uint8Array;
    /** The id of the key, which is the address of the account whose root it is. */
    readonly keyId: Uint8Array;
    /** sign returns the encoded custody signature of a digest. */
    sign(digest: Uint8Array): Promise<Uint8Array>;
}
/** custodyKeyId returns the id of a public point, x and y: the last 20 bytes of its Keccak-256 hash. */
export declare function custodyKeyId(point: Uint8Array): Uint8Array;
/** secp256k1Custody returns the custody key of a secp256k1 secret, as of an Ethereum account. */
export declare function secp256k1Custody(secret: Uint8Array): Custody;
/** p256Custody returns the custody key of a P-256 secret. */
export declare function p256Custody(secret: Uint8Array): Custody;
/** wrapCustody returns a custody key that signs for an account of which it is not the root, but an authorized key. */
export declare function wrapCustody(custody: Custody, account: Uint8Array): Custody;
/** CustodyRequest is what custody keys sign for a message: the account's key, and for SIGNER_ADD the key of the requester. */
export interface CustodyRequest {
    readonly digest: Uint8Array;
    readonly requestDigest: Uint8Array | undefined;
}
/** custodyRequest returns what is signed for a message that changes the keys of an account. Its signatures are not part of it. */
export declare function custodyRequest(init: MessageInit): CustodyRequest;
/** signCustody adds the custody signatures to the fields of a message. requester signs the request of SIGNER_ADD. */
export declare function signCustody(init: MessageInit, custody: Custody, requester?: Custody): Promise<MessageInit>;
/** custodyWindow returns the times between which a custody signature is valid: it tolerates clocks that differ by ten minutes. */
export declare function custodyWindow(now?: number): {
    validAfter: bigint;
    validBefore: bigint;
};
