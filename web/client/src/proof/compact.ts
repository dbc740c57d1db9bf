// Compact range proofs: the rows under a prefix, their neighbours and the hashes of the subtrees around them.
import { sha256 } from "@noble/hashes/sha2.js";
import type { CompactRangeProof } from "../../gen/schema.js";
import { bytesEqual, compareBytes, hasPrefix, hex } from "../bytes.js";
import { failed, within } from "../steps.js";
import { checkKey, maxAnswerSize, maxCompactRows, maxDepth, maxKeySize, maxValueSize } from "./bounds.js";
import { hashInner, hashLeaf, isEmptyRoot } from "./existence.js";
import { type Interval, isBefore, isBeyond, isWithin } from "./range.js";

const hashSize = 32;
const maxHashes = 2 * maxDepth;

const opRow = 0;
const opHash = 1;
const opJoin = 2;

/** Leaf is a row or a neighbour whose hash the proof computes. */
interface Leaf {
  readonly key: Uint8Array;
  readonly valueHash: Uint8Array;
}

/**
 * verifyCompactRange verifies that a proof has every row with a prefix, from the first or the first after a key, up to its last row,
 * and when it is complete that no row with the prefix follows. An incomplete proof has at least one row.
 */
export function verifyCompactRange(root: Uint8Array, prefix: Uint8Array, after: Uint8Array | undefined, complete: boolean, proof: CompactRangeProof): void {
  checkKey(prefix);
  if (after !== undefined && (after.length > maxKeySize || !hasPrefix(after, prefix))) throw failed("key", "cursor of another list");
  checkBounds(proof);
  if (!complete && (proof.rows.length === 0 || proof.upperKey.length > 0)) {
    throw failed("claim", "proof is not complete and has no row or an upper bound");
  }
  checkKeys({ prefix, after }, proof);
  const leaves = leavesOf(proof);
  if (leaves.length === 0 && proof.hashes.length === 0 && proof.operations.length === 0) {
    if (!isEmptyRoot(root)) throw failed("adjacency", "no rows, but the tree is not empty");
    return;
  }
  const reached = evaluate(proof, leaves, complete);
  if (!bytesEqual(reached, root)) throw failed("root", `proof leads to root ${hex(reached)}, not ${hex(root)}`);
}

/** checkBounds bounds a proof before its hashes are computed. */
function checkBounds(proof: CompactRangeProof): void {
  const { rows, lowerKey, upperKey, hashes, operations } = proof;
  if (rows.length > maxCompactRows) throw failed("bounds", `proof has ${rows.length} rows, at most ${maxCompactRows}`);
  let size = lowerKey.length + upperKey.length + hashes.length + operations.length;
  for (const { key, value } of rows) {
    size += key.length + value.length;
    if (key.length > maxKeySize || value.length > maxValueSize) throw failed("bounds", "proof has a key or a value longer than any row's");
  }
  if (size > maxAnswerSize) throw failed("bounds", `proof has ${size} bytes, at most ${maxAnswerSize}`);
  if (lowerKey.length > maxKeySize || upperKey.length > maxKeySize) throw failed("bounds", "proof has a key longer than any row's");
  if (hashes.length > maxHashes * hashSize) throw failed("bounds", `proof has ${hashes.length} bytes of hashes`);
  if (hashes.length % hashSize !== 0) throw failed("encoding", `proof has ${hashes.length} bytes of hashes`);
}

/** checkKeys checks that the rows are in the interval, in order, and that the neighbours are outside of it on their sides. */
function checkKeys(interval: Interval, proof: CompactRangeProof): void {
  within("lower bound", () => checkNeighbour(proof.lowerKey, proof.lowerValueHash, (key) => isBefore(interval, key)));
  within("upper bound", () => checkNeighbour(proof.upperKey, proof.upperValueHash, (key) => isBeyond(interval, key)));
  let last: Uint8Array = new Uint8Array();
  for (const [i, { key }] of proof.rows.entries()) {
    within(`row ${i}`, () => {
      if (!isWithin(interval, key)) throw failed("order", `${hex(key)} is not in the range`);
      if (compareBytes(last, key) >= 0) throw failed("order", `${hex(last)} comes before ${hex(key)}`);
    });
    last = key;
  }
}

function checkNeighbour(key: Uint8Array, valueHash: Uint8Array, isOutside: (key: Uint8Array) => boolean): void {
  if (key.length === 0 && valueHash.length === 0) return;
  if (key.length === 0 || valueHash.length !== hashSize) throw failed("encoding", `key of ${key.length} bytes and hash of ${valueHash.length} bytes`);
  if (!isOutside(key)) throw failed("order", `${hex(key)} is on the wrong side`);
}

function leavesOf(proof: CompactRangeProof): Leaf[] {
  const leaves: Leaf[] = [];
  if (proof.lowerKey.length > 0) leaves.push({ key: proof.lowerKey, valueHash: proof.lowerValueHash });
  for (const { key, value } of proof.rows) leaves.push({ key, valueHash: sha256(value) });
  if (proof.upperKey.length > 0) leaves.push({ key: proof.upperKey, valueHash: proof.upperValueHash });
  return leaves;
}

/**
 * evaluate executes the operations of a proof and returns the root. A hash between two leaves would hide rows, so it is refused, as
 * is one before the first leaf when that claims to be the first of the tree, and the same at the end.
 */
function evaluate(proof: CompactRangeProof, leaves: readonly Leaf[], complete: boolean): Uint8Array {
  const { hashes, operations } = proof;
  const pushes = leaves.length + hashes.length / hashSize;
  if (operations.length !== 2 * pushes - 1) throw failed("shape", `${operations.length} operations for ${pushes} rows and hashes`);
  const stack: { hash: Uint8Array; hasRows: boolean }[] = [];
  let [pushed, hashed] = [0, 0];
  const checkGap = () => {
    if (pushed > 0 && pushed < leaves.length) throw failed("adjacency", `rows may exist after ${hex(leaves[pushed - 1]?.key ?? new Uint8Array())}`);
    if (pushed === 0 && proof.lowerKey.length === 0) throw failed("adjacency", "rows may exist before the first");
    if (pushed > 0 && complete && proof.upperKey.length === 0) throw failed("adjacency", "rows may exist after the last");
  };
  for (const [i, operation] of operations.entries()) {
    const leaf = leaves[pushed];
    const [left, right] = [stack.at(-2), stack.at(-1)];
    if (operation === opRow && leaf !== undefined) {
      stack.push({ hash: hashLeaf(leaf.key, leaf.valueHash), hasRows: true });
      pushed++;
    } else if (operation === opHash && hashed < hashes.length) {
      checkGap();
      stack.push({ hash: hashes.subarray(hashed, hashed + hashSize), hasRows: false });
      hashed += hashSize;
    } else if (operation === opJoin && left !== undefined && right !== undefined) {
      if (!left.hasRows && !right.hasRows) throw failed("shape", `operation ${i} joins two hashes`);
      stack.splice(-2, 2, { hash: hashInner(left.hash, right.hash), hasRows: true });
    } else {
      throw failed("shape", `operation ${i} cannot be ${operation}`);
    }
  }
  const [root] = stack;
  if (stack.length !== 1 || root === undefined || !root.hasRows) throw failed("shape", `operations leave ${stack.length} hashes`);
  return root.hash;
}
