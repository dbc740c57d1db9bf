// The light client: testdata/vectors/lightclient.json.
import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../../testdata/vectors/lightclient.json" with { type: "json" };
import { fromHex, hex } from "../src/bytes.js";
import { ProofError } from "../src/evidence.js";
import { LightClient, trustLightBlock } from "../src/finality/lightclient.js";
import { decodeLightBlock, maxLightBlockSize } from "../src/finality/lightblock.js";

const blocks = vectors.blocks.map(fromHex);
const now = () => 1000 * vectors.now;

const block = (number: number): Uint8Array => {
  const encoded = blocks[number - 1];
  if (encoded === undefined) throw new Error(`there is no block ${number}`);
  return encoded;
};

/** failedStep returns the step that a verification fails, undefined when it succeeds. */
async function failedStep(verify: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await verify();
    return undefined;
  } catch (error) {
    if (error instanceof ProofError) return error.step;
    throw error;
  }
}

test("light blocks are verified against trusted validators", async () => {
  for (const vector of vectors.verified as { name: string; trusted: number; number: number; light_block: string; root?: string; step?: string }[]) {
    const trust = { ...trustLightBlock(block(vector.trusted)), blockNumber: 0n };
    const client = new LightClient(trust, () => Promise.reject(new Error("nothing is fetched")), { now });
    const certify = async () => {
      const { block } = await client.certify(fromHex(vector.light_block), BigInt(vector.number));
      assert.equal(hex(block.header.appHash), vector.root, vector.name);
    };
    assert.equal(await failedStep(certify), vector.step, vector.name);
  }
});

test("changes of validators are followed", async () => {
  for (const vector of vectors.followed as { name: string; from: number; to: number; replaced?: Record<string, string>; step?: string }[]) {
    const source = async (number: bigint) => {
      const replaced = vector.replaced?.[number.toString()];
      return replaced === undefined ? block(Number(number)) : fromHex(replaced);
    };
    const client = new LightClient(trustLightBlock(block(vector.from)), source, { now });
    assert.equal(await failedStep(async () => client.certify(await source(BigInt(vector.to)), BigInt(vector.to))), vector.step, vector.name);
  }
});

test("trust moves to the newest validators, and older blocks stay verifiable", async () => {
  const requested: bigint[] = [];
  const source = async (number: bigint) => {
    requested.push(number);
    return block(Number(number));
  };
  const client = new LightClient(trustLightBlock(block(1)), source, { now });
  await client.certify(block(12), 12n);
  assert.equal(client.trust.blockNumber, 12n);
  const count = requested.length;
  assert.ok(count < 12, `${count} blocks were fetched`);
  for (const number of [1, 5, 9, 12]) await client.certify(block(number), BigInt(number));
});

test("a trusted block that is too old, and a block of the future, are refused", async () => {
  const late = new LightClient(trustLightBlock(block(1)), async (number) => block(Number(number)), { now: () => now() + 31 * 24 * 3600 * 1000 });
  assert.equal(await failedStep(() => late.certify(block(12), 12n)), "follow");
  const unlimited = new LightClient(trustLightBlock(block(1)), async (number) => block(Number(number)), { now: () => now() + 1e12, trustingPeriod: Infinity });
  assert.equal(await failedStep(() => unlimited.certify(block(12), 12n)), undefined);
  const early = new LightClient(trustLightBlock(block(1)), async (number) => block(Number(number)), { now: () => now() - 7200 * 1000 });
  assert.equal(await failedStep(() => early.certify(block(12), 12n)), "follow");
});

test("a changed byte is refused, and nothing but a ProofError is thrown", () => {
  const valid = block(2);
  const before = hex(decodeLightBlock(valid).hash);
  const changed = new Uint8Array(valid.length);
  for (let at = 0; at < valid.length; at += 3) {
    changed.set(valid);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    try {
      trustLightBlock(changed);
      assert.equal(hex(decodeLightBlock(changed).hash), before, `byte ${at} changed the header`);
    } catch (error) {
      assert.ok(error instanceof ProofError, `byte ${at}: ${String(error)}`);
    }
  }
  assert.throws(() => decodeLightBlock(new Uint8Array(maxLightBlockSize + 1)), { step: "bounds" });
});
