import { type Custody, custodyKeyId } from "./custody.js";
/** Assertion is the response of an authenticator (AuthenticatorAssertionResponse): its parts, and the signature in DER. */
export interface Assertion {
    readonly authenticatorData: Uint8Array;
    readonly clientDataJSON: Uint8Array;
    readonly signature: Uint8Array;
}
/**
 * passkeyCustody returns the custody key of a passkey with a public point, x and y. assert requests an assertion for a challenge: with
 * user verification, and without extensions, whose outputs the chain refuses.
 */
export declare function passkeyCustody(publicKey: Uint8Array, assert: (challenge: Uint8Array) => Promise<Assertion>): Custody;
/** normalizeSignature returns r and s of a P-256 signature in DER, with the lower of the two equivalent values of s. */
export declare function normalizeSignature(der: Uint8Array): Uint8Array;
/** recoverPublicKeys returns the two public points whose key may have made an assertion. Two assertions identify it. */
export declare function recoverPublicKeys(assertion: Assertion): Uint8Array[];
/** passkeyKeyId returns the id of a passkey by its public point: the address of the account whose root it is. */
export declare const passkeyKeyId: typeof custodyKeyId;
/** publicPoint returns the public point, x and y, of a key that a registration returns (getPublicKey: SubjectPublicKeyInfo). */
export declare function publicPoint(subjectPublicKeyInfo: Uint8Array): Uint8Array;
/** base64url encodes bytes without padding, as WebAuthn encodes challenges. */
export declare function base64url(bytes: Uint8Array): string;
