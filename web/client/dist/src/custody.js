// Custody: signatures of wallets that manage the keys of an account (docs/spec/protocol.md P4).
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { CustodySignatureType, MessageDataSchema } from "../gen/schema.js";
import { bigEndian, concat } from "./bytes.js";
import { create } from "./protobuf.js";
import { varint } from "./wire.js";
/** The forms of signatures. A secp256k1 signature has no such byte: it is recognized by its size. */
const formP256 = 0x01;
const formWrapper = 0x03;
/** custodyKeyId returns the id of a public point, x and y: the last 20 bytes of its Keccak-256 hash. */
export function custodyKeyId(point) {
    if (point.length !== 64)
        throw new TypeError(`public point of ${point.length} bytes, want 64`);
    return keccak_256(point).subarray(12);
}
/** secp256k1Custody returns the custody key of a secp256k1 secret, as of an Ethereum account. */
export function secp256k1Custody(secret) {
    const publicKey = secp256k1.getPublicKey(secret, false);
    return {
        type: CustodySignatureType.SECP256K1,
        publicKey,
        keyId: custodyKeyId(publicKey.subarray(1)),
        async sign(digest) {
            const recovered = secp256k1.sign(digest, secret, { prehash: false, format: "recovered" });
            return concat(recovered.subarray(1), recovered.subarray(0, 1));
        },
    };
}
/** p256Custody returns the custody key of a P-256 secret. */
export function p256Custody(secret) {
    const publicKey = p256.getPublicKey(secret, false).subarray(1);
    return {
        type: CustodySignatureType.P256,
        publicKey,
        keyId: custodyKeyId(publicKey),
        async sign(digest) {
            const signature = p256.sign(sha256(digest), secret, { prehash: false, lowS: true });
            return concat(Uint8Array.of(formP256), signature, publicKey, Uint8Array.of(1));
        },
    };
}
/** wrapCustody returns a custody key that signs for an account of which it is not the root, but an authorized key. */
export function wrapCustody(custody, account) {
    return { ...custody, sign: async (digest) => concat(Uint8Array.of(formWrapper), account, await custody.sign(digest)) };
}
/** custodyRequest returns what is signed for a message that changes the keys of an account. Its signatures are not part of it. */
export function custodyRequest(init) {
    const { network, ownerAddress, body } = create(MessageDataSchema, init);
    const begin = (...tag) => concat(Uint8Array.from(tag), bigEndian(BigInt(network), 4), ownerAddress);
    const digest = (...parts) => ({ digest: keccak_256(concat(...parts)), requestDigest: undefined });
    switch (body.case) {
        case "keychainAuthorize":
            return digest(begin(1, 1), authorizePayload(body.value));
        case "keychainRevoke":
            return digest(begin(2, 1), body.value.keyId, window(body.value), sized(body.value.witness));
        case "signerAdd":
            return { ...digest(begin(3, 0), signerPayload(body.value)), requestDigest: keccak_256(concat(begin(5), signerPayload(body.value))) };
        case "signerRemove":
            return digest(begin(4, 0), body.value.key, window(body.value));
        default:
            throw new TypeError(`a message with the body ${body.case} has no custody signature`);
    }
}
/** signCustody adds the custody signatures to the fields of a message. requester signs the request of SIGNER_ADD. */
export async function signCustody(init, custody, requester = custody) {
    const { digest, requestDigest } = custodyRequest(init);
    const data = create(MessageDataSchema, init);
    const signature = await custody.sign(digest);
    switch (data.body.case) {
        case "keychainAuthorize":
            data.body.value.authorizationSignature = signature;
            break;
        case "keychainRevoke":
            data.body.value.revocationSignature = signature;
            break;
        case "signerAdd":
            data.body.value.custodySignature = signature;
            if (requestDigest !== undefined)
                data.body.value.requestSignature = await requester.sign(requestDigest);
            break;
        case "signerRemove":
            data.body.value.custodySignature = signature;
            break;
    }
    const { ownerAddress, body } = data;
    return { ...init, ownerAddress, body };
}
/** custodyWindow returns the times between which a custody signature is valid: it tolerates clocks that differ by ten minutes. */
export function custodyWindow(now = Date.now()) {
    const seconds = BigInt(Math.floor(now / 1000));
    return { validAfter: seconds - 600n, validBefore: seconds + 1800n };
}
const uint64 = (value) => bigEndian(value, 8);
const sized = (bytes) => concat(varint(BigInt(bytes.length)), bytes);
const window = (body) => concat(uint64(body.validAfter), uint64(body.validBefore), uint64(body.nonce));
function authorizePayload(body) {
    return concat(body.keyId, Uint8Array.of(body.signatureType), sized(body.publicKey), Uint8Array.of(body.admin ? 1 : 0), uint64(body.expiresAt), window(body), sized(body.witness));
}
function signerPayload(body) {
    return concat(body.requestOwnerAddress, body.key, bigEndian(BigInt(body.scope), 4), window(body), varint(BigInt(body.allowedProjects.length)), ...body.allowedProjects);
}
