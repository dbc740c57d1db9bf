// Messages of testdata/vectors: encoding, hash, signature.
import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../../testdata/vectors/messages.json" with { type: "json" };
import { MessageDataSchema, MessageSchema } from "../gen/schema.js";
import { fromHex, hex } from "../src/bytes.js";
import { canonical, ed25519Signer, hashMessage, isSignedMessage, messageData, signMessage } from "../src/message.js";
import { create, decode, encode } from "../src/protobuf.js";
import { init } from "./vectors.js";

interface Vector {
  name: string;
  data?: { type: number };
  canonical?: string;
  hash?: string;
  secret?: string;
  signer?: string;
  signature?: string;
  transaction?: string;
  tail?: unknown;
  verdict: "accepted" | { stage: string; code: string };
}

const messages = vectors.messages as Vector[];

test("messages are encoded, hashed and signed as in the vectors", async () => {
  let signed = 0;
  for (const vector of messages) {
    if (vector.data === undefined || vector.canonical === undefined || vector.hash === undefined) continue;
    const data = init(MessageDataSchema, { timestamp: 0, ...vector.data });
    const built = messageData(data);
    assert.equal(built.type, vector.data.type, vector.name);
    assert.equal(hex(canonical(built)), vector.canonical, vector.name);
    assert.equal(hex(hashMessage(built)), vector.hash, vector.name);
    if (vector.secret === undefined) continue;
    const message = await signMessage(data, ed25519Signer(fromHex(vector.secret)));
    assert.equal(hex(message.signature), vector.signature, vector.name);
    assert.equal(hex(message.signer), vector.signer, vector.name);
    if (vector.verdict === "accepted" && vector.transaction !== undefined) {
      assert.equal(hex(encode(MessageSchema, message)), vector.transaction, vector.name);
    }
    signed++;
  }
  assert.ok(signed > 200, `${signed} messages signed`);
});

test("valid signatures are accepted, also those that only ZIP-215 accepts, and others refused", () => {
  let refused = 0;
  for (const vector of messages) {
    if (vector.transaction === undefined || vector.tail !== undefined) continue;
    const isBad = typeof vector.verdict === "object" && ["bad_signature", "hash_mismatch", "invalid_signature"].includes(vector.verdict.code);
    if (vector.verdict !== "accepted" && !isBad) continue;
    const message = decode(MessageSchema, fromHex(vector.transaction));
    assert.equal(isSignedMessage(message), !isBad, vector.name);
    refused += isBad ? 1 : 0;
  }
  assert.ok(refused > 0, "no invalid signature was tested");
});

test("a message without a body is not signed", () => {
  assert.throws(() => messageData({ network: 3 }), TypeError);
  assert.equal(isSignedMessage(create(MessageSchema)), false);
});
