// The forms of a custody signature (P4.2, P4.3): recovers the key that made it, or refuses it.

import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { attempt } from "./attempt.js";
import { type Bytes, concat } from "./bytes.js";

export const SECP256K1 = 1;
export const P256 = 2;
export const WEBAUTHN = 3;

const maxWebAuthnLength = 2048;

export interface Signer {
  keyId: Bytes;
  type: number;
  wrapperAccount?: Bytes;
}

// Parsed is a signature after all checks that do not depend on the digest.
export interface Parsed {
  type: number;
  wrapperAccount?: Bytes;
  // keyIdFor verifies the signature over a digest and returns the id of its key. It throws if the signature is invalid.
  keyIdFor(digest: Bytes): Bytes;
}

type Curve = typeof p256 | typeof secp256k1;

// keyIdOf returns the last 20 bytes of Keccak-256 over the 64-byte public point.
export function keyIdOf(point: Bytes): Bytes {
  return keccak_256(point).subarray(12);
}

// publicPoint returns the 64 bytes of a key as KEYCHAIN_AUTHORIZE contains it. It throws for an invalid key.
export function publicPoint(type: number, publicKey: Bytes): Bytes {
  if (type === SECP256K1) {
    if (publicKey.length !== 65 || publicKey[0] !== 4) throw new Error("not an uncompressed key");
    secp256k1.Point.fromBytes(publicKey).assertValidity();
    return publicKey.subarray(1);
  }
  if (type !== P256 && type !== WEBAUTHN) throw new Error(`signature type ${type}`);
  if (publicKey.length !== 64) throw new Error(`key of ${publicKey.length} bytes`);
  p256.Point.fromBytes(Uint8Array.of(4, ...publicKey)).assertValidity();
  return publicKey;
}

// recoverSigner verifies a signature of any form over a digest. It throws if the signature is invalid.
export function recoverSigner(digest: Bytes, signature: Bytes): Signer {
  const { keyIdFor, ...parsed } = parse(signature);
  return { ...parsed, keyId: keyIdFor(digest) };
}

export function parse(signature: Bytes): Parsed {
  if (signature.length === 65 || signature[0] !== 0x03) return parseDirect(signature);
  if (signature.length < 21) throw new Error("wrapper without an account");
  return { ...parseDirect(signature.subarray(21)), wrapperAccount: signature.subarray(1, 21) };
}

// parseDirect parses every form but the wrapper. The length is checked first: r may start with any byte.
export function parseDirect(signature: Bytes): Parsed {
  if (signature.length === 65) return parseSecp256k1(signature);
  if (signature[0] === 0x01) return parseP256(signature);
  if (signature[0] === 0x02) return parseWebAuthn(signature);
  throw new Error("unknown form");
}

function parseSecp256k1(signature: Bytes): Parsed {
  const v = signature[64] ?? -1;
  if (![0, 1, 27, 28].includes(v)) throw new Error(`v is ${v}`);
  const compact = signature.subarray(0, 64);
  requireLowS(secp256k1, compact);
  const recoverable = secp256k1.Signature.fromBytes(compact, "compact").addRecoveryBit(v % 27);
  const keyIdFor = (digest: Bytes) => keyIdOf(recoverable.recoverPublicKey(digest).toBytes(false).subarray(1));
  return { type: SECP256K1, keyIdFor };
}

function parseP256(signature: Bytes): Parsed {
  if (signature.length !== 130) throw new Error(`P256 signature of ${signature.length} bytes`);
  if (signature[129] !== 0x01) throw new Error("last byte is not 1");
  const verify = parseKeyed(signature.subarray(1, 129));
  return { type: P256, keyIdFor: (digest) => verify(sha256(digest)) };
}

function parseWebAuthn(signature: Bytes): Parsed {
  if (signature.length > maxWebAuthnLength) throw new Error("WebAuthn signature too long");
  if (signature.length < 1 + 37 + 128) throw new Error("WebAuthn signature too short");
  const authenticator = signature.subarray(1, 38);
  const clientData = signature.subarray(38, signature.length - 128);
  checkFlags(authenticator[32] ?? 0);
  const challenge = parseClientData(clientData);
  const verify = parseKeyed(signature.subarray(signature.length - 128));
  const keyIdFor = (digest: Bytes) => {
    if (challenge !== Buffer.from(digest).toString("base64url")) throw new Error("another challenge");
    return verify(sha256(concat(authenticator, sha256(clientData))));
  };
  return { type: WEBAUTHN, keyIdFor };
}

function checkFlags(flags: number): void {
  if ((flags & 0x01) === 0) throw new Error("user not present");
  if ((flags & 0x04) === 0) throw new Error("user not verified");
  if ((flags & 0x40) !== 0) throw new Error("attested data");
  if ((flags & 0x80) !== 0) throw new Error("extensions");
}

// parseClientData returns the challenge.
function parseClientData(clientData: Bytes): string {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(clientData);
  const { type, challenge } = JSON.parse(text) as { type?: unknown; challenge?: unknown };
  if (!text.trimStart().startsWith("{")) throw new Error("client data is not an object");
  const names = topLevelNames(text);
  if (new Set(names).size !== names.length) throw new Error("a member occurs twice");
  if (type !== "webauthn.get") throw new Error(`type is ${String(type)}`);
  if (typeof challenge !== "string") throw new Error("no challenge");
  return challenge;
}

// topLevelNames returns the member names of a valid JSON object, including duplicates, which JSON.parse merges.
function topLevelNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth === 1 && token.endsWith(":")) names.push(JSON.parse(token.slice(0, -1)) as string);
  }
  return names;
}

// parseKeyed parses `r s x y` and returns a function that verifies them over a hash.
function parseKeyed(parts: Bytes): (hash: Bytes) => Bytes {
  const compact = parts.subarray(0, 64);
  const point = parts.subarray(64);
  const publicKey = concat(Uint8Array.of(4), point);
  requireLowS(p256, compact);
  p256.Point.fromBytes(publicKey).assertValidity();
  return (hash) => {
    const good = p256.verify(compact, hash, publicKey, { prehash: false, lowS: true });
    if (!good) throw new Error("invalid P256 signature");
    return keyIdOf(point);
  };
}

function requireLowS(curve: Curve, compact: Bytes): void {
  if (curve.Signature.fromBytes(compact, "compact").hasHighS()) throw new Error("high S");
}

// signAgain signs again with the secret of a valid signature, by RFC 6979 with low S. All bytes but r and s are copied from
// the given signature.
export function signAgain(digest: Bytes, signature: Bytes, secret: Bytes): Bytes {
  if (signature.length === 65) {
    const [recovery = 0, ...compact] = secp256k1.sign(digest, secret, { prehash: false, lowS: true, format: "recovered" });
    const offset = (signature[64] ?? 0) >= 27 ? 27 : 0;
    return Uint8Array.of(...compact, recovery + offset);
  }
  if (signature[0] === 0x03) return concat(signature.subarray(0, 21), signAgain(digest, signature.subarray(21), secret));
  const point = p256.getPublicKey(secret, false).subarray(1);
  if (signature[0] === 0x01) {
    return concat(Uint8Array.of(1), signP256(sha256(digest), secret), point, Uint8Array.of(1));
  }
  const said = signature.subarray(0, signature.length - 128);
  const signed = sha256(concat(said.subarray(1, 38), sha256(said.subarray(38))));
  return concat(said, signP256(signed, secret), point);
}

function signP256(hash: Bytes, secret: Bytes): Bytes {
  return p256.sign(hash, secret, { prehash: false, lowS: true });
}

// isSmallOrder reports whether an Ed25519 key is a point of small order, in any encoding that ZIP-215 accepts.
export function isSmallOrder(key: Bytes): boolean {
  return attempt(() => ed25519.Point.fromBytes(key, true).isSmallOrder()) === true;
}
