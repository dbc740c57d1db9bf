// Streams of calls, in every division into parts that a network can make.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GetBlockResponseSchema, MakechainService } from "../gen/schema.js";
import { connectCalls } from "../src/calls.js";
import { create, encode } from "../src/protobuf.js";

const frame = (flags: number, body: Uint8Array) => Uint8Array.of(flags, ...new Uint8Array(new Uint32Array([body.length]).buffer).reverse(), ...body);

test("a stream is the same whatever the parts are in which it arrives", async () => {
  const sizes = [1, 0, 300, 2000];
  const messages = sizes.map((length) => frame(0, encode(GetBlockResponseSchema, create(GetBlockResponseSchema, { block: { hash: new Uint8Array(length) } }))));
  const bytes = Uint8Array.from([...messages, frame(2, new TextEncoder().encode("{}"))].flatMap((part) => [...part]));
  for (const size of [1, 2, 3, 5, 7, bytes.length]) {
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    });
    const calls = connectCalls(MakechainService, "http://node.example", () => Promise.resolve(new Response(body)));
    const found: (number | undefined)[] = [];
    for await (const { block } of calls.subscribeBlocks({})) found.push(block?.hash.length);
    assert.deepEqual(found, sizes, `parts of ${size} bytes`);
  }
});
