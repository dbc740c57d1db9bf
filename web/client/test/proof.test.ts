// Proofs of testdata/vectors: valid ones are accepted, all others refused with a named step.
import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../../testdata/vectors/proofs.json" with { type: "json" };
import trees from "../../../testdata/vectors/tree.json" with { type: "json" };
import { CompactRangeProofSchema, GetRangeProofResponseSchema, GetStorageQuotaProofResponseSchema } from "../gen/schema.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { compareBytes, fromHex, hex } from "../src/bytes.js";
import { ProofError } from "../src/evidence.js";
import { maxProofSize } from "../src/proof/bounds.js";
import { verifyCompactRange } from "../src/proof/compact.js";
import { hashInner, hashLeaf, verifyAbsence, verifyMembership, verifyPresence } from "../src/proof/existence.js";
import { verifyQuota } from "../src/proof/quota.js";
import { verifyRange } from "../src/proof/range.js";
import { create, encode, decode, type MessageDesc } from "../src/protobuf.js";
import { init } from "./vectors.js";

interface ProofSet {
  name: string;
  root: string;
  proofs: { name: string; key: string; present: boolean; value?: string; proof: string; valid: boolean }[];
  ranges?: { name: string; prefix: string; cursor: string; answer: unknown; valid: boolean }[];
  compact_ranges: { name: string; prefix: string; after: string; complete?: boolean; proof: unknown; valid: boolean }[];
  quotas?: { name: string; owner: string; as_of: number; answer: unknown; valid: boolean }[];
}

const sets = vectors as ProofSet[];
const steps = ["bounds", "encoding", "shape", "key", "value", "root", "order", "adjacency", "claim"];

/** check calls verify, which must return or, for a wrong proof, throw a ProofError that ends with a known step. */
function check(name: string, valid: boolean, verify: () => void): void {
  if (valid) {
    assert.doesNotThrow(verify, name);
    return;
  }
  assert.throws(verify, (error: unknown) => {
    assert.ok(error instanceof ProofError, `${name}: ${String(error)}`);
    assert.ok(steps.includes(error.step.split(": ").at(-1) ?? ""), `${name}: step ${error.step}`);
    return true;
  }, name);
}

/** flipped returns copies of bytes with one changed byte each, of which not more than count are made. */
function* flipped(bytes: Uint8Array, count: number): Generator<Uint8Array, void, undefined> {
  const stride = Math.max(1, Math.floor(bytes.length / count));
  for (let at = 0; at < bytes.length; at += stride) {
    const copy = bytes.slice();
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
    yield copy;
  }
}

test("existence and absence", () => {
  for (const { name, root, proofs } of sets) {
    for (const vector of proofs) {
      const [key, value, proof] = [fromHex(vector.key), fromHex(vector.value ?? ""), fromHex(vector.proof)];
      const verify = (given: Uint8Array) => (vector.present ? verifyMembership(fromHex(root), key, value, given) : verifyAbsence(fromHex(root), key, given));
      check(`${name}: ${vector.name}`, vector.valid, () => verify(proof));
      if (!vector.valid) continue;
      assert.equal(hex(verifyPresence(fromHex(root), key, proof) ?? new Uint8Array()), vector.present ? hex(value) : "");
      check(`${vector.name}: another root`, false, () => verifyPresence(new Uint8Array(32), key, proof));
      for (const changed of flipped(proof, 60)) check(`${vector.name}: ${hex(changed).slice(0, 80)}`, false, () => verify(changed));
    }
  }
  check("too large", false, () => verifyAbsence(new Uint8Array(32), fromHex("0a02"), new Uint8Array(maxProofSize + 1)));
  check("not a key of the state root", false, () => verifyAbsence(new Uint8Array(32), fromHex("1802"), new Uint8Array()));
});

/** fields checks that a message with one changed byte in any field is refused, and one that cannot be decoded too. */
function fields<T>(name: string, desc: MessageDesc<T>, message: T, verify: (changed: T) => void): void {
  const encoded = encode(desc, message);
  for (const changed of flipped(encoded, 40)) {
    let decoded: T;
    try {
      decoded = decode(desc, changed);
    } catch {
      continue;
    }
    if (hex(encode(desc, decoded)) === hex(encoded)) continue; // the change is in a field that is not read
    check(`${name}: changed to ${hex(changed).slice(0, 60)}`, false, () => verify(decoded));
  }
}

test("ranges", () => {
  for (const { name, root, ranges = [] } of sets) {
    for (const vector of ranges) {
      const page = create(GetRangeProofResponseSchema, { ...init(GetRangeProofResponseSchema, vector.answer), blockNumber: 0n });
      const verify = (changed: typeof page) => verifyRange(fromHex(root), fromHex(vector.prefix), fromHex(vector.cursor), changed);
      check(`${name}: ${vector.name}`, vector.valid, () => verify(page));
      if (vector.valid) fields(vector.name, GetRangeProofResponseSchema, page, (changed) => verify({ ...changed, blockNumber: 0n }));
    }
  }
});

test("compact ranges", () => {
  for (const { name, root, compact_ranges: ranges } of sets) {
    for (const vector of ranges) {
      const proof = create(CompactRangeProofSchema, init(CompactRangeProofSchema, vector.proof));
      const after = vector.after === "" ? undefined : fromHex(vector.after);
      const verify = (changed: typeof proof) => verifyCompactRange(fromHex(root), fromHex(vector.prefix), after, vector.complete === true, changed);
      check(`${name}: ${vector.name}`, vector.valid, () => verify(proof));
      if (vector.valid) fields(vector.name, CompactRangeProofSchema, proof, verify);
    }
  }
});

test("quotas", () => {
  for (const { name, root, quotas = [] } of sets) {
    for (const vector of quotas) {
      const answer = create(GetStorageQuotaProofResponseSchema, init(GetStorageQuotaProofResponseSchema, vector.answer));
      const verify = (changed: typeof answer) => void verifyQuota(fromHex(root), fromHex(vector.owner), vector.as_of, changed);
      check(`${name}: ${vector.name}`, vector.valid, () => verify(answer));
      if (vector.valid) fields(vector.name, GetStorageQuotaProofResponseSchema, { ...answer, blockNumber: 0n }, verify);
    }
  }
});

test("roots of trees", () => {
  for (const { name, rows, root } of trees) {
    const leaves = rows.map(({ key, value }) => ({ key: fromHex(key), hash: hashLeaf(fromHex(key), sha256(fromHex(value))) }));
    leaves.sort((a, b) => compareBytes(a.key, b.key));
    assert.equal(hex(leaves.length === 0 ? sha256(new Uint8Array()) : join(leaves)), root, name);
  }
});

/** branch returns the first bit in which two keys differ, where each byte has nine bits. */
function branch(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; ; i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return 9 * i;
    if (left !== right) return 9 * i + 1 + Math.clz32(left ^ right) - 24;
  }
}

/** join returns the hash of the tree of leaves, which are in order. It splits them where neighbours differ first. */
function join(leaves: readonly { key: Uint8Array; hash: Uint8Array }[]): Uint8Array {
  const [first] = leaves;
  if (first !== undefined && leaves.length === 1) return first.hash;
  let [split, lowest] = [0, Infinity];
  for (let i = 1; i < leaves.length; i++) {
    const [left, right] = [leaves[i - 1], leaves[i]];
    const at = left === undefined || right === undefined ? Infinity : branch(left.key, right.key);
    if (at < lowest) [split, lowest] = [i, at];
  }
  return hashInner(join(leaves.slice(0, split)), join(leaves.slice(split)));
}
