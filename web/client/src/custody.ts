// Custody: signatures of wallets that manage the keys of an account (docs/spec/protocol.md P4).
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { CustodySignatureType, type KeychainAuthorizeBody, MessageDataSchema, type SignerAddBody } from "../gen/schema.js";
import { bigEndian, concat } from "./bytes.js";
import type { MessageInit } from "./message.js";
import { create } from "./protobuf.js";
import { varint } from "./wire.js";

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

/** The forms of signatures. A secp256k1 signature has no such byte: it is recognized by its size. */
const formP256 = 0x01;
const formWrapper = 0x03;

/** custodyKeyId returns the id of a public point, x and y: the last 20 bytes of its Keccak-256 hash. */
export function custodyKeyId(point: Uint8Array): Uint8Array {
  if (point.length !== 64) throw new TypeError(`public point of ${point.length} bytes, want 64`);
  return keccak_256(point).subarray(12);
}

/** secp256k1Custody returns the custody key of a secp256k1 secret, as of an Ethereum account. */
export function secp256k1Custody(secret: Uint8Array): Custody {
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
export function p256Custody(secret: Uint8Array): Custody {
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
export function wrapCustody(custody: Custody, account: Uint8Array): Custody {
  return { ...custody, sign: async (digest) => concat(Uint8Array.of(formWrapper), account, await custody.sign(digest)) };
}

/** CustodyRequest is what custody keys sign for a message: the account's key, and for SIGNER_ADD the key of the requester. */
export interface CustodyRequest {
  readonly digest: Uint8Array;
  readonly requestDigest: Uint8Array | undefined;
}

/** custodyRequest returns what is signed for a message that changes the keys of an account. Its signatures are not part of it. */
export function custodyRequest(init: MessageInit): CustodyRequest {
  const { network, ownerAddress, body } = create(MessageDataSchema, init);
  const begin = (...tag: number[]) => concat(Uint8Array.from(tag), bigEndian(BigInt(network), 4), ownerAddress);
  const digest = (...parts: Uint8Array[]) => ({ digest: keccak_256(concat(...parts)), requestDigest: undefined });
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
export async function signCustody(init: MessageInit, custody: Custody, requester: Custody = custody): Promise<MessageInit> {
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
      if (requestDigest !== undefined) data.body.value.requestSignature = await requester.sign(requestDigest);
      break;
    case "signerRemove":
      data.body.value.custodySignature = signature;
      break;
  }
  const { ownerAddress, body } = data;
  return { ...init, ownerAddress, body };
}

/** custodyWindow returns the times between which a custody signature is valid: it tolerates clocks that differ by ten minutes. */
export function custodyWindow(now = Date.now()): { validAfter: bigint; validBefore: bigint } {
  const seconds = BigInt(Math.floor(now / 1000));
  return { validAfter: seconds - 600n, validBefore: seconds + 1800n };
}

const uint64 = (value: bigint) => bigEndian(value, 8);
const sized = (bytes: Uint8Array) => concat(varint(BigInt(bytes.length)), bytes);
const window = (body: { validAfter: bigint; validBefore: bigint; nonce: bigint }) => concat(uint64(body.validAfter), uint64(body.validBefore), uint64(body.nonce));

function authorizePayload(body: KeychainAuthorizeBody): Uint8Array {
  return concat(
    body.keyId,
    Uint8Array.of(body.signatureType),
    sized(body.publicKey),
    Uint8Array.of(body.admin ? 1 : 0),
    uint64(body.expiresAt),
    window(body),
    sized(body.witness),
  );
}

function signerPayload(body: SignerAddBody): Uint8Array {
  return concat(
    body.requestOwnerAddress,
    body.key,
    bigEndian(BigInt(body.scope), 4),
    window(body),
    varint(BigInt(body.allowedProjects.length)),
    ...body.allowedProjects,
  );
}
