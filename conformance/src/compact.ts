// Compact range proofs (T3.9): all rows under a prefix, computed up to the root on a stack.

import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, compareBytes, concat, equalBytes, fromHex, varint } from "./bytes.js";
import { requireKey } from "./ics.js";
import { contains, type Interval, isBefore, isBeyond } from "./ranges.js";
import { same } from "./report.js";
import type { RowSet } from "./tree.js";

interface CompactProof {
  rows?: { key?: string; value?: string }[];
  lower_key?: string;
  lower_value_hash?: string;
  upper_key?: string;
  upper_value_hash?: string;
  hashes?: string;
  operations?: string;
}

export interface CompactVector {
  name: string;
  prefix: string;
  after: string;
  complete: boolean;
  proof: CompactProof;
  valid: boolean;
}

interface Leaf {
  key: Bytes;
  valueHash: Bytes;
}

const [hashSize, maxRows, maxHashes, maxKey, maxValue, maxSize] = [32, 10_000, 8_192, 288, 16 << 10, 3 << 20];

// checkCompact throws unless the proof is valid and has exactly the rows of the set that it should.
export function checkCompact({ prefix: hexPrefix, after: hexAfter, complete, proof }: CompactVector, set: RowSet): void {
  const prefix = fromHex(hexPrefix);
  const after = hexAfter === "" ? undefined : fromHex(hexAfter);
  requireKey(prefix);
  if (after && !contains({ prefix, after: undefined }, after)) throw new Error("key of another list");
  verifyCompact(fromHex(set.root), { prefix, after }, complete, proof);

  const expected = set.rows
    .map((row) => row.key)
    .filter((key) => contains({ prefix, after }, fromHex(key)))
    .sort();
  const shown = (proof.rows ?? []).map((row) => row.key);
  same(shown.join(), expected.slice(0, complete ? undefined : shown.length).join(), "keys in the rows");
}

// verifyCompact throws unless the proof contains every row of the interval, up to its last row when it is not complete.
function verifyCompact(root: Bytes, interval: Interval, complete: boolean, proof: CompactProof): void {
  const rows = (proof.rows ?? []).map((row) => ({ key: fromHex(row.key ?? ""), value: fromHex(row.value ?? "") }));
  const [hashes, operations] = [fromHex(proof.hashes ?? ""), fromHex(proof.operations ?? "")];
  const size = rows.reduce((sum, row) => sum + row.key.length + row.value.length, hashes.length + operations.length);
  if (rows.length > maxRows || hashes.length > maxHashes * hashSize || size > maxSize) throw new Error("proof is too large");
  if (rows.some((row) => row.key.length > maxKey || row.value.length > maxValue)) throw new Error("row is too large");
  if (!complete && rows.length === 0) throw new Error("proof is neither complete nor has rows");

  const lower = bound(proof.lower_key, proof.lower_value_hash, (key) => isBefore(interval, key));
  const upper = bound(proof.upper_key, proof.upper_value_hash, (key) => isBeyond(interval, key));
  if (!complete && upper.length > 0) throw new Error("proof is not complete and has an upper bound");
  rows.forEach(({ key }, i) => {
    const previous = rows[i - 1];
    if (!contains(interval, key)) throw new Error("row outside of the range");
    if (previous && compareBytes(previous.key, key) >= 0) throw new Error("rows are not in order");
  });

  const leaves = [...lower, ...rows.map(({ key, value }): Leaf => ({ key, valueHash: sha256(value) })), ...upper];
  if (leaves.length + hashes.length + operations.length === 0) {
    if (!equalBytes(root, sha256(new Uint8Array()))) throw new Error("no rows, but the tree is not empty");
    return;
  }
  const allowed = { before: lower.length > 0, after: !complete || upper.length > 0 };
  if (!equalBytes(evaluate(leaves, hashes, operations, allowed), root)) throw new Error("another root");
}

// bound returns the row next to the range, nothing when there is none.
function bound(key: string | undefined, valueHash: string | undefined, outside: (key: Bytes) => boolean): Leaf[] {
  if ((key ?? "") === "" && (valueHash ?? "") === "") return [];
  const leaf = { key: fromHex(key ?? ""), valueHash: fromHex(valueHash ?? "") };
  if (leaf.key.length === 0 || leaf.key.length > maxKey || leaf.valueHash.length !== hashSize) throw new Error("not a bound");
  if (!outside(leaf.key)) throw new Error("bound on the wrong side");
  return [leaf];
}

// evaluate computes the root. Hashes are allowed before the first leaf and after the last, and never joined with each other.
function evaluate(leaves: Leaf[], hashes: Bytes, operations: Bytes, allowed: { before: boolean; after: boolean }): Bytes {
  const stack: { hash: Bytes; hasRows: boolean }[] = [];
  let [pushed, used] = [0, 0];
  for (const operation of operations) {
    const leaf = leaves[pushed];
    if (operation === 0 && leaf) {
      const hash = sha256(concat(Uint8Array.of(0), varint(leaf.key.length), leaf.key, varint(hashSize), leaf.valueHash));
      stack.push({ hash, hasRows: true });
      pushed++;
    } else if (operation === 1 && used + hashSize <= hashes.length) {
      if (pushed === 0 ? !allowed.before : pushed < leaves.length || !allowed.after) throw new Error("rows may be missing");
      stack.push({ hash: hashes.subarray(used, used + hashSize), hasRows: false });
      used += hashSize;
    } else if (operation === 2) {
      const [right, left] = [stack.pop(), stack.pop()];
      if (!left || !right || !(left.hasRows || right.hasRows)) throw new Error("nothing to join");
      stack.push({ hash: sha256(concat(Uint8Array.of(1), left.hash, right.hash)), hasRows: true });
    } else {
      throw new Error("operation is not possible");
    }
  }
  const [top] = stack;
  if (!top?.hasRows || stack.length !== 1 || pushed !== leaves.length || used !== hashes.length) throw new Error("not one root");
  return top.hash;
}
