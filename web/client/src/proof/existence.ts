// ICS-23 proofs that a row exists or does not, against the root of the state.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesEqual, compareBytes, concat, hex } from "../bytes.js";
import { decoding, failed, within } from "../steps.js";
import { Message, varint, WireError } from "../wire.js";
import { checkKey, maxDepth, maxKeySize, maxProofSize, maxValueSize } from "./bounds.js";

const hashSize = 32;
const leafPrefix = Uint8Array.of(0);
const innerPrefix = 1;
const sha256Op = 1n;
const varProto = 1n;

/** Inner is an inner node on the path from a row to the root: what is hashed before and after the child. */
interface Inner {
  readonly hash: bigint;
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

/** Existence is the proof of a row. */
export interface Existence {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Whether the leaf is hashed as the published spec prescribes. */
  readonly isLeaf: boolean;
  readonly path: readonly Inner[];
}

/** Absence is the proof that there is no row with a key: its neighbours. */
export interface Absence {
  readonly key: Uint8Array;
  readonly left: Existence | undefined;
  readonly right: Existence | undefined;
}

/** hashInner returns the hash of an inner node. */
export function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concat(Uint8Array.of(innerPrefix), left, right));
}

/** hashLeaf returns the hash of a row, of whose value the hash is given. */
export function hashLeaf(key: Uint8Array, valueHash: Uint8Array): Uint8Array {
  return sha256(concat(leafPrefix, varint(BigInt(key.length)), key, Uint8Array.of(hashSize), valueHash));
}

/** isEmptyRoot reports whether a root is that of the empty tree. */
export function isEmptyRoot(root: Uint8Array): boolean {
  return bytesEqual(root, sha256(new Uint8Array()));
}

/** verifyMembership verifies that a row is in the tree of a root. */
export function verifyMembership(root: Uint8Array, key: Uint8Array, value: Uint8Array, proof: Uint8Array): void {
  checkKey(key);
  verifyRow(root, decodeExistence(proof), key, value);
}

/** verifyAbsence verifies that the tree of a root has no row with a key. The empty tree has no neighbours. */
export function verifyAbsence(root: Uint8Array, key: Uint8Array, proof: Uint8Array): void {
  checkKey(key);
  const decoded = decodeProof(proof);
  if (!("left" in decoded)) throw failed("encoding", "not a non-existence proof");
  verifyGap(root, decoded, key);
}

/** verifyPresence verifies the proof of a row or of its absence, and returns its value, undefined when it is absent. */
export function verifyPresence(root: Uint8Array, key: Uint8Array, proof: Uint8Array): Uint8Array | undefined {
  checkKey(key);
  const decoded = decodeProof(proof);
  if ("left" in decoded) {
    verifyGap(root, decoded, key);
    return undefined;
  }
  verifyRow(root, decoded, key, decoded.value);
  return decoded.value;
}

function verifyRow(root: Uint8Array, row: Existence, key: Uint8Array, value: Uint8Array): void {
  if (!bytesEqual(row.key, key)) throw failed("key", `proof is for ${hex(row.key)}, not ${hex(key)}`);
  if (!bytesEqual(row.value, value)) throw failed("value", `proof is for another value than the given ${value.length} bytes`);
  verifyPath(root, row);
}

function verifyGap(root: Uint8Array, absence: Absence, key: Uint8Array): void {
  const { left, right } = absence;
  if (!bytesEqual(absence.key, key)) throw failed("key", `proof is for ${hex(absence.key)}, not ${hex(key)}`);
  if (left !== undefined && compareBytes(left.key, key) >= 0) throw failed("order", `left neighbour ${hex(left.key)} is not before ${hex(key)}`);
  if (right !== undefined && compareBytes(right.key, key) <= 0) throw failed("order", `right neighbour ${hex(right.key)} is not after ${hex(key)}`);
  verifyRun(root, { lower: left, rows: [], upper: right, closed: true });
}

/** verifyPath verifies that a row has the form of the published spec and leads to a root. */
function verifyPath(root: Uint8Array, row: Existence): void {
  if (!row.isLeaf || row.key.length === 0 || row.value.length === 0) throw failed("shape", "leaf is not that of a row");
  if (row.path.length > maxDepth) throw failed("shape", `path has ${row.path.length} steps, at most ${maxDepth}`);
  let reached = hashLeaf(row.key, sha256(row.value));
  for (const step of row.path) {
    if (step.hash !== sha256Op || step.prefix[0] !== innerPrefix || (!isLeftChild(step) && !isRightChild(step))) {
      throw failed("shape", "inner node does not have two children");
    }
    reached = sha256(concat(step.prefix, reached, step.suffix));
  }
  if (!bytesEqual(reached, root)) throw failed("root", `proof leads to root ${hex(reached)}, not ${hex(root)}`);
}

const isLeftChild = (step: Inner) => step.prefix.length === 1 && step.suffix.length === hashSize;
const isRightChild = (step: Inner) => step.prefix.length === 1 + hashSize && step.suffix.length === 0;

/** Run is a list of rows that are claimed to be adjacent in the tree, with the rows before and after. */
export interface Run {
  readonly lower: Existence | undefined;
  readonly rows: readonly Existence[];
  readonly upper: Existence | undefined;
  /** The run is complete: without upper it ends at the last row of the tree. */
  readonly closed: boolean;
}

/** verifyRun verifies that every row leads to a root, that they are in order, and that no other row is between them. */
export function verifyRun(root: Uint8Array, { lower, rows, upper, closed }: Run): void {
  const all = [...(lower === undefined ? [] : [lower]), ...rows, ...(upper === undefined ? [] : [upper])];
  const [first] = all;
  const last = all.at(-1);
  if (first === undefined || last === undefined) {
    if (!isEmptyRoot(root)) throw failed("adjacency", "no rows, but the tree is not empty");
    return;
  }
  for (const row of all) within(`row ${hex(row.key)}`, () => verifyPath(root, row));
  if (lower === undefined && !first.path.every(isLeftChild)) throw failed("adjacency", `rows may exist before ${hex(first.key)}`);
  if (upper === undefined && closed && !last.path.every(isRightChild)) throw failed("adjacency", `rows may exist after ${hex(last.key)}`);
  let left = first;
  for (const right of all.slice(1)) {
    if (compareBytes(left.key, right.key) >= 0) throw failed("order", `${hex(left.key)} comes before ${hex(right.key)}`);
    if (!isAdjacent(left.path, right.path)) throw failed("adjacency", `rows may exist between ${hex(left.key)} and ${hex(right.key)}`);
    left = right;
  }
}

/**
 * isAdjacent reports whether two paths to one root belong to adjacent leaves. Above the lowest common ancestor they are equal; at it
 * one comes from the left and the other from the right child; below it they follow the edges that face each other.
 */
function isAdjacent(left: readonly Inner[], right: readonly Inner[]): boolean {
  for (let up = 1; ; up++) {
    const [a, b] = [left.at(-up), right.at(-up)];
    if (up > left.length || up > right.length || a === undefined || b === undefined) return false;
    if (bytesEqual(a.prefix, b.prefix) && bytesEqual(a.suffix, b.suffix)) continue;
    return isLeftChild(a) && isRightChild(b) && left.slice(0, -up).every(isRightChild) && right.slice(0, -up).every(isLeftChild);
  }
}

/** decodeExistence decodes the proof of a row. */
export function decodeExistence(proof: Uint8Array): Existence {
  const decoded = decodeProof(proof);
  if ("left" in decoded) throw failed("encoding", "not an existence proof");
  return decoded;
}

/** decodeProof decodes an ICS-23 CommitmentProof, in its canonical encoding only. */
function decodeProof(proof: Uint8Array): Existence | Absence {
  if (proof.length > maxProofSize) throw failed("bounds", `proof has ${proof.length} bytes, at most ${maxProofSize}`);
  const decoded = decoding(() => {
    const message = new Message(proof);
    const exist = message.message(1);
    const absent = exist === undefined ? message.message(2) : undefined;
    message.end();
    if (exist !== undefined) return readExistence(exist);
    if (absent !== undefined) return readAbsence(absent);
    throw new WireError("neither an existence proof nor a non-existence proof");
  });
  const rows = "left" in decoded ? [decoded.left, decoded.right] : [decoded];
  if (decoded.key.length > maxKeySize || rows.some((row) => row !== undefined && (row.key.length > maxKeySize || row.value.length > maxValueSize))) {
    throw failed("bounds", "proof has a key or a value longer than any row's");
  }
  return decoded;
}

function readExistence(encoded: Uint8Array): Existence {
  const message = new Message(encoded, [4]);
  const key = message.bytes(1);
  const value = message.bytes(2);
  const leaf = message.message(3);
  const path = message.messages(4);
  message.end();
  return { key, value, isLeaf: leaf !== undefined && readLeaf(leaf), path: path.map(readInner) };
}

/** readLeaf reports whether a leaf is hashed as the published spec prescribes; its prefix is exactly one zero byte. */
function readLeaf(encoded: Uint8Array): boolean {
  const message = new Message(encoded);
  const operations = [message.uint(1), message.uint(2), message.uint(3), message.uint(4)];
  const prefix = message.bytes(5);
  message.end();
  const published = [sha256Op, 0n, sha256Op, varProto];
  return operations.every((operation, i) => operation === published[i]) && bytesEqual(prefix, leafPrefix);
}

function readInner(encoded: Uint8Array): Inner {
  const message = new Message(encoded);
  const step = { hash: message.uint(1), prefix: message.bytes(2), suffix: message.bytes(3) };
  message.end();
  return step;
}

function readAbsence(encoded: Uint8Array): Absence {
  const message = new Message(encoded);
  const key = message.bytes(1);
  const left = message.message(2);
  const right = message.message(3);
  message.end();
  return { key, left: left && readExistence(left), right: right && readExistence(right) };
}
