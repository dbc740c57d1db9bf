// The forms of a custody signature (P4.2, P4.3): which key made it, or why it is none.

import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
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

type Curve = typeof p256 | typeof secp256k1;

// keyIdOf is the last 20 bytes of Keccak-256 over the 64-byte public point.
export function keyIdOf(point: Bytes): Bytes {
  return keccak_256(point).subarray(12);
}

// recoverSigner verifies a signature of any form over a digest. It throws when the signature is not good.
export function recoverSigner(digest: Bytes, signature: Bytes): Signer {
  if (signature.length !== 65 && signature[0] === 0x03) {
    if (signature.length < 21) throw new Error("wrapper without an account");
    const inner = recoverDirect(digest, signature.subarray(21));
    return { ...inner, wrapperAccount: signature.subarray(1, 21) };
  }
  return recoverDirect(digest, signature);
}

// recoverDirect takes every form but the wrapper.
export function recoverDirect(digest: Bytes, signature: Bytes): Signer {
  if (signature.length === 65) return recoverSecp256k1(digest, signature);
  if (signature[0] === 0x01) return verifyP256(digest, signature);
  if (signature[0] === 0x02) return verifyWebAuthn(digest, signature);
  throw new Error("unknown form");
}

function recoverSecp256k1(digest: Bytes, signature: Bytes): Signer {
  const v = signature[64] ?? -1;
  if (![0, 1, 27, 28].includes(v)) throw new Error(`v is ${v}`);
  const compact = signature.subarray(0, 64);
  requireLowS(secp256k1, compact);
  const recovered = secp256k1.Signature.fromBytes(compact, "compact").addRecoveryBit(v % 27);
  const point = recovered.recoverPublicKey(digest).toBytes(false).subarray(1);
  return { keyId: keyIdOf(point), type: SECP256K1 };
}

function verifyP256(digest: Bytes, signature: Bytes): Signer {
  if (signature.length !== 130) throw new Error(`P256 signature of ${signature.length} bytes`);
  if (signature[129] !== 0x01) throw new Error("last byte is not 1");
  const point = verifyPoint(sha256(digest), signature.subarray(1, 129));
  return { keyId: keyIdOf(point), type: P256 };
}

function verifyWebAuthn(digest: Bytes, signature: Bytes): Signer {
  if (signature.length > maxWebAuthnLength) throw new Error("WebAuthn signature too long");
  if (signature.length < 1 + 37 + 128) throw new Error("WebAuthn signature too short");
  const authenticator = signature.subarray(1, 38);
  const clientData = signature.subarray(38, signature.length - 128);
  checkFlags(authenticator[32] ?? 0);
  checkClientData(clientData, digest);
  const signed = sha256(concat(authenticator, sha256(clientData)));
  const point = verifyPoint(signed, signature.subarray(signature.length - 128));
  return { keyId: keyIdOf(point), type: WEBAUTHN };
}

function checkFlags(flags: number): void {
  if ((flags & 0x01) === 0) throw new Error("user not present");
  if ((flags & 0x04) === 0) throw new Error("user not verified");
  if ((flags & 0x40) !== 0) throw new Error("attested data");
  if ((flags & 0x80) !== 0) throw new Error("extensions");
}

function checkClientData(clientData: Bytes, digest: Bytes): void {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(clientData);
  const parsed: unknown = JSON.parse(text);
  if (!text.trimStart().startsWith("{")) throw new Error("client data is no object");
  const names = topLevelNames(text);
  if (new Set(names).size !== names.length) throw new Error("a member occurs twice");
  const { type, challenge } = parsed as { type?: unknown; challenge?: unknown };
  if (type !== "webauthn.get") throw new Error(`type is ${String(type)}`);
  if (challenge !== Buffer.from(digest).toString("base64url")) throw new Error("another challenge");
}

// topLevelNames lists the member names of a valid JSON object, which JSON.parse would quietly merge.
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

// verifyPoint checks `r s x y` over a message hash and returns the public point.
function verifyPoint(hash: Bytes, parts: Bytes): Bytes {
  const compact = parts.subarray(0, 64);
  const point = parts.subarray(64);
  const publicKey = concat(Uint8Array.of(4), point);
  requireLowS(p256, compact);
  p256.Point.fromBytes(publicKey).assertValidity();
  if (!p256.verify(compact, hash, publicKey, { prehash: false, lowS: true })) throw new Error("P256 signature is wrong");
  return point;
}

function requireLowS(curve: Curve, compact: Bytes): void {
  if (curve.Signature.fromBytes(compact, "compact").hasHighS()) throw new Error("high S");
}

// signAgain makes a good signature once more from its secret, by RFC 6979 with low S. Everything but the
// numbers r and s is taken from the signature given.
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
