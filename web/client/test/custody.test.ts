// Custody and claims of testdata/vectors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { p256 } from "@noble/curves/nist.js";
import { sha256 } from "@noble/hashes/sha2.js";
import vectors from "../../../testdata/vectors/custody.json" with { type: "json" };
import { CustodySignatureType, MessageDataSchema, Network } from "../gen/schema.js";
import { bytesEqual, fromHex, hex, utf8 } from "../src/bytes.js";
import { ethClaim, ethClaimDigest, hostChainId, solClaimText } from "../src/claim.js";
import { custodyKeyId, custodyRequest, custodyWindow, p256Custody, secp256k1Custody, signCustody, wrapCustody } from "../src/custody.js";
import { type Assertion, base64url, normalizeSignature, passkeyCustody, publicPoint, recoverPublicKeys } from "../src/passkey.js";
import { init } from "./vectors.js";

const bodies: Record<string, string> = {
  authorize: "keychain_authorize",
  revoke: "keychain_revoke",
  signer_add: "signer_add",
  signer_remove: "signer_remove",
  signer_request: "signer_add",
};
const networks: Record<string, Network> = { mainnet: Network.MAINNET, testnet: Network.TESTNET, devnet: Network.DEVNET };

test("digests of custody operations", () => {
  const seen = new Set<string>();
  for (const { op, network, owner, body, digest } of vectors.operations) {
    const name = bodies[op];
    assert.ok(name !== undefined, op);
    const request = custodyRequest(init(MessageDataSchema, { network, owner_address: owner, [name]: body }));
    assert.equal(hex((op === "signer_request" ? request.requestDigest : request.digest) ?? new Uint8Array()), digest, op);
    seen.add(op);
  }
  assert.equal(seen.size, Object.keys(bodies).length);
  assert.throws(() => custodyRequest({ body: { case: "fork", value: {} } }), TypeError);
});

test("signatures of custody keys", async () => {
  const counts = new Map<number, number>();
  for (const vector of vectors.signatures as { name: string; digest: string; secret?: string; signature: string; valid: boolean; key_id?: string; signature_type?: number; wrapper_account?: string }[]) {
    if (vector.secret === undefined || !vector.valid || vector.name.includes("v 27/28")) continue; // both forms of v are valid
    const secret = fromHex(vector.secret);
    const type = vector.signature_type ?? 0;
    let custody = type === CustodySignatureType.SECP256K1 ? secp256k1Custody(secret) : p256Custody(secret);
    if (type === CustodySignatureType.WEBAUTHN_P256) custody = passkeyCustody(custody.publicKey, async () => assertionOf(fromHex(vector.signature), vector.wrapper_account !== undefined));
    assert.equal(hex(custody.keyId), vector.key_id, vector.name);
    if (vector.wrapper_account !== undefined) custody = wrapCustody(custody, fromHex(vector.wrapper_account));
    assert.equal(custody.type, type, vector.name);
    assert.equal(hex(await custody.sign(fromHex(vector.digest))), vector.signature, vector.name);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  assert.equal(counts.size, 3, "not all types of keys were tested");
});

/** assertionOf returns the assertion in a custody signature of the WebAuthn form. */
function assertionOf(signature: Uint8Array, wrapped: boolean): Assertion {
  const form = signature.subarray(wrapped ? 21 : 0);
  const compact = form.subarray(-128, -64);
  return { authenticatorData: form.subarray(1, 38), clientDataJSON: form.subarray(38, -128), signature: p256.Signature.fromBytes(compact, "compact").toBytes("der") };
}

test("ids of custody keys", () => {
  for (const { name, signature_type, public_key, valid, key_id } of vectors.key_ids as { name: string; signature_type: number; public_key: string; valid: boolean; key_id?: string }[]) {
    if (!valid) continue;
    const key = fromHex(public_key);
    assert.equal(hex(custodyKeyId(signature_type === CustodySignatureType.SECP256K1 ? key.subarray(1) : key)), key_id, name);
  }
  assert.throws(() => custodyKeyId(new Uint8Array(65)), TypeError);
});

test("claims of addresses", () => {
  for (const { name, network, chain_id, owner, address, digest } of vectors.eth_claims) {
    const of = networks[network] ?? Network.NONE;
    assert.equal(hex(ethClaimDigest(of, fromHex(owner), fromHex(address))), digest, name);
    assert.equal(hostChainId(of), BigInt(chain_id), name);
    const typed = ethClaim(of, fromHex(owner), fromHex(address));
    assert.deepEqual(typed.domain, { name: "Makechain", version: "1", chainId: `${chain_id}` }, name);
  }
  for (const { name, network, owner, text } of vectors.sol_claims) assert.equal(solClaimText(networks[network] ?? Network.NONE, fromHex(owner)), text, name);
  assert.throws(() => solClaimText(Network.NONE, new Uint8Array(20)), TypeError);
});

/** assertion returns an assertion of an authenticator for a challenge, with a high or a low S. */
function assertion(secret: Uint8Array, challenge: Uint8Array, { flags = 0x05, high = false, type = "webauthn.get" } = {}): Assertion {
  const authenticatorData = new Uint8Array(37);
  authenticatorData[32] = flags;
  const clientDataJSON = utf8(JSON.stringify({ type, challenge: base64url(challenge), origin: "http://localhost:8080" }));
  const unsigned = { authenticatorData, clientDataJSON };
  const message = new Uint8Array([...authenticatorData, ...sha256(clientDataJSON)]);
  const low = p256.Signature.fromBytes(p256.sign(message, secret, { lowS: true }), "compact");
  const s = high ? p256.Point.Fn.ORDER - low.s : low.s;
  return { ...unsigned, signature: new p256.Signature(low.r, s).toBytes("der") };
}

test("an assertion of a passkey becomes a custody signature, with a low S", async () => {
  const secret = new Uint8Array(32).fill(7);
  const { publicKey } = p256Custody(secret);
  const digest = new Uint8Array(32).fill(9);
  const signatures = new Set<string>();
  for (const high of [false, true]) {
    const made = assertion(secret, digest, { high });
    assert.ok(recoverPublicKeys(made).some((candidate) => bytesEqual(candidate, publicKey)), "the public key was not recovered");
    assert.equal(normalizeSignature(made.signature).length, 64);
    signatures.add(hex(await passkeyCustody(publicKey, async () => made).sign(digest)));
  }
  assert.equal(signatures.size, 1, "a high S was not normalized");
});

test("assertions that the chain would refuse are refused", async () => {
  const secret = new Uint8Array(32).fill(7);
  const { publicKey } = p256Custody(secret);
  const digest = new Uint8Array(32).fill(9);
  const other = p256Custody(new Uint8Array(32).fill(8)).publicKey;
  const sign = (key: Uint8Array, made: Assertion) => passkeyCustody(key, async () => made).sign(digest);
  await assert.rejects(sign(publicKey, assertion(secret, digest, { flags: 0x01 })), /verify the user/);
  await assert.rejects(sign(publicKey, assertion(secret, digest, { flags: 0x85 })), /extensions/);
  await assert.rejects(sign(publicKey, assertion(secret, digest, { type: "webauthn.create" })), /another request/);
  await assert.rejects(sign(publicKey, assertion(secret, new Uint8Array(32))), /another request/);
  await assert.rejects(sign(other, assertion(secret, digest)), /another passkey/);
});

test("custody signatures are added to a message", async () => {
  const custody = secp256k1Custody(new Uint8Array(32).fill(5));
  const window = custodyWindow(1_700_000_000_000);
  assert.ok(window.validBefore - window.validAfter <= 3600n);
  const key = new Uint8Array(32).fill(1);
  const value = { key, scope: 1, nonce: 0n, requestOwnerAddress: custody.keyId, ...window };
  const signed = await signCustody({ network: Network.DEVNET, ownerAddress: custody.keyId, body: { case: "signerAdd", value } }, custody);
  assert.ok(signed.body?.case === "signerAdd");
  assert.equal(signed.body.value.custodySignature?.length, 65);
  assert.equal(signed.body.value.requestSignature?.length, 65);
  assert.notDeepEqual(signed.body.value.custodySignature, signed.body.value.requestSignature);
});

test("the public point is read from the key of a registration", () => {
  const { publicKey } = p256Custody(new Uint8Array(32).fill(7));
  const info = new Uint8Array([...fromHex("3059301306072a8648ce3d020106082a8648ce3d030107034200"), 4, ...publicKey]);
  assert.deepEqual(publicPoint(info), publicKey);
  assert.throws(() => publicPoint(info.subarray(0, -1)));
});
