// The codec agrees with protobuf-es about every message of the protocol.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import * as account from "../gen/makechain/account_pb.js";
import * as apiMessage from "../gen/makechain/api_message_pb.js";
import * as apiNode from "../gen/makechain/api_node_pb.js";
import * as apiProof from "../gen/makechain/api_proof_pb.js";
import * as messages from "../gen/makechain/message_pb.js";
import * as state from "../gen/makechain/state_pb.js";
import * as own from "../gen/schema.js";
import { create, decode, encode, type FieldDesc, type Init, type MessageDesc } from "../src/protobuf.js";

/** random returns a generator of numbers below a bound: mulberry32. */
function random(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

function value(field: FieldDesc, next: (bound: number) => number): unknown {
  switch (field.kind) {
    case "m":
      return field.message && fields(field.message, next);
    case "s":
      return ["", "text", "ünï\u{1F600}"][next(3)];
    case "y":
      return new Uint8Array(next(40)).fill(next(256));
    case "b":
      return next(2) === 1;
    case "U":
      return [0n, 1n, 300n, (1n << 64n) - 1n][next(4)];
    case "e":
      return next(3);
    default:
      return [0, 1, 300, 0xffffffff][next(4)];
  }
}

function fields(desc: MessageDesc, next: (bound: number) => number): Init<unknown> {
  const made: Record<string, unknown> = {};
  for (const field of desc.fields) {
    if (next(3) === 0) continue;
    const given = field.repeated ? Array.from({ length: next(4) }, () => value(field, next)) : value(field, next);
    if (field.oneof === undefined) made[field.localName] = given;
    else made[field.oneof.localName] = { case: field.localName, value: given };
  }
  return made as Init<unknown>;
}

const isMessage = (value: unknown): value is DescMessage => (value as { kind?: unknown }).kind === "message";
const descs: Readonly<Record<string, unknown>> = own;

test("messages are encoded and decoded as by protobuf-es", () => {
  const next = random(17);
  let count = 0;
  for (const [name, other] of [account, apiMessage, apiNode, apiProof, messages, state].flatMap((module) => Object.entries(module))) {
    if (!isMessage(other)) continue;
    const desc = descs[name] as MessageDesc<{ $typeName: string }>;
    assert.deepEqual(desc.fields.map((field) => [field.name, field.localName]), [...other.fields].sort((a, b) => a.number - b.number).map((field) => [field.name, field.localName]));
    for (let i = 0; i < 20; i++) {
      const message = create(desc, fields(desc, next) as Init<{ $typeName: string }>);
      const encoded = encode(desc, message);
      const decoded: Message = fromBinary(other, encoded);
      assert.deepEqual(encode(desc, decode(desc, encoded)), encoded, name);
      assert.deepEqual(toBinary(other, decoded), new Uint8Array(encoded), name);
      assert.deepEqual(plain(decode(desc, encoded)), plain(decoded), name);
      count++;
    }
  }
  assert.ok(count > 1000, `${count} messages`);
});

/** plain copies a message without prototypes, so that only its fields are compared. */
function plain(message: unknown): unknown {
  if (message instanceof Uint8Array) return [...message];
  if (Array.isArray(message)) return message.map(plain);
  if (typeof message !== "object" || message === null) return message;
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined).map(([name, value]) => [name, plain(value)]));
}

test("bytes that are not a message are refused, and unknown fields skipped", () => {
  const desc = own.AccountRowSchema;
  for (const bytes of [[0x08], [0x12, 5, 1], [0x12, 2, 0xff, 0xfe], Array.from({ length: 11 }, () => 0x80), [0x0b], [0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]]) {
    assert.throws(() => decode(desc, Uint8Array.from(bytes)), { name: "WireError" });
  }
  const unknown = Uint8Array.from([0xf8, 0x07, 1, 0xfa, 0x07, 1, 9, 0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8, 0xfd, 0x07, 1, 2, 3, 4, 0x10, 1]);
  assert.deepEqual(decode(desc, unknown), create(desc));
});
