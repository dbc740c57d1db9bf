// Passkeys as custody keys: the assertions of an authenticator in the form that the chain accepts.
import { sha256 } from "@noble/hashes/sha2.js";
import { CustodySignatureType } from "../gen/schema.js";
import { bigEndian, bytesEqual, concat, fromUtf8 } from "./bytes.js";
import { type Custody, custodyKeyId } from "./custody.js";
import { isPoint, order, parseDer, recoverPoints } from "./p256.js";

/** Assertion is the response of an authenticator (AuthenticatorAssertionResponse): its parts, and the signature in DER. */
export interface Assertion {
  readonly authenticatorData: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly signature: Uint8Array;
}

const formWebAuthn = 0x02;
const maxSize = 2048;
const authenticatorDataSize = 37;
const flagsAt = 32;
const flagUserPresent = 0x01;
const flagUserVerified = 0x04;
const flagsOfMoreData = 0xc0;

/**
 * passkeyCustody returns the custody key of a passkey with a public point, x and y. assert requests an assertion for a challenge: with
 * user verification, and without extensions, whose outputs the chain refuses.
 */
export function passkeyCustody(publicKey: Uint8Array, assert: (challenge: Uint8Array) => Promise<Assertion>): Custody {
  return {
    type: CustodySignatureType.WEBAUTHN_P256,
    publicKey,
    keyId: custodyKeyId(publicKey),
    async sign(digest) {
      return encodeAssertion(await assert(digest), digest, publicKey);
    },
  };
}

/** encodeAssertion returns the custody signature of an assertion. It throws when the chain would refuse it. */
function encodeAssertion(assertion: Assertion, digest: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const { authenticatorData, clientDataJSON } = assertion;
  const flags = authenticatorData[flagsAt] ?? 0;
  if (authenticatorData.length !== authenticatorDataSize || (flags & flagsOfMoreData) !== 0) throw new Error("the assertion has extensions, which the chain refuses");
  if ((flags & flagUserPresent) === 0 || (flags & flagUserVerified) === 0) throw new Error("the authenticator did not verify the user");
  const { type, challenge } = JSON.parse(fromUtf8(clientDataJSON)) as { type?: unknown; challenge?: unknown };
  if (type !== "webauthn.get" || challenge !== base64url(digest)) throw new Error("the assertion is for another request");
  const signature = normalizeSignature(assertion.signature);
  if (!recoverPublicKeys(assertion).some((candidate) => bytesEqual(candidate, publicKey))) throw new Error("the assertion is of another passkey");
  const encoded = concat(Uint8Array.of(formWebAuthn), authenticatorData, clientDataJSON, signature, publicKey);
  if (encoded.length > maxSize) throw new Error(`the assertion has ${encoded.length} bytes, at most ${maxSize}`);
  return encoded;
}

/** normalizeSignature returns r and s of a P-256 signature in DER, with the lower of the two equivalent values of s. */
export function normalizeSignature(der: Uint8Array): Uint8Array {
  const { r, s } = parseDer(der);
  return concat(bigEndian(r, 32), bigEndian(s > order / 2n ? order - s : s, 32));
}

/** recoverPublicKeys returns the two public points whose key may have made an assertion. Two assertions identify it. */
export function recoverPublicKeys(assertion: Assertion): Uint8Array[] {
  const { r, s } = parseDer(assertion.signature);
  return recoverPoints(r, s, signedHash(assertion)); // s and its opposite have the same two points
}

/** passkeyKeyId returns the id of a passkey by its public point: the address of the account whose root it is. */
export const passkeyKeyId = custodyKeyId;

/** publicPoint returns the public point, x and y, of a key that a registration returns (getPublicKey: SubjectPublicKeyInfo). */
export function publicPoint(subjectPublicKeyInfo: Uint8Array): Uint8Array {
  const point = subjectPublicKeyInfo.subarray(-65);
  if (point[0] !== 4 || !isPoint(point.subarray(1))) throw new TypeError("not the key of a P-256 passkey");
  return point.subarray(1);
}

function signedHash({ authenticatorData, clientDataJSON }: Assertion): Uint8Array {
  return sha256(concat(authenticatorData, sha256(clientDataJSON)));
}

/** base64url encodes bytes without padding, as WebAuthn encodes challenges. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
