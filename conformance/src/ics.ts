// ICS-23 proofs, verified with @confio/ics23 and with the additional rules of this chain.

import { ics23, tendermintSpec, verifyMembership, verifyNonMembership } from "@confio/ics23";
import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, equalBytes } from "./bytes.js";

// The npm package has no depth limit in its tendermintSpec; the Go package has 128. The published spec is TendermintSpec
// with a limit of 4,096 and no other change (T1.4).
const publishedSpec: ics23.IProofSpec = { ...tendermintSpec, maxDepth: 4096 };

export type Row = ics23.IExistenceProof & { key: Uint8Array; value: Uint8Array };

const emptyRoot = sha256(new Uint8Array());

// presentRow decodes an existence proof and checks its form, but not its root.
export function presentRow(proof: Bytes): Row {
  const { exist } = decode(proof);
  if (!exist) throw new Error("not an existence proof");
  return wellFormed(exist);
}

export function requirePresent(root: Bytes, key: Bytes, value: Bytes, proof: Bytes): void {
  requireKey(key);
  presentRow(proof);
  bySpecs((spec) => verifyMembership(decode(proof), spec, root, key, value), "presence");
}

export function requireAbsent(root: Bytes, key: Bytes, proof: Bytes): void {
  requireKey(key);
  const { nonexist } = decode(proof);
  if (!nonexist || !equalBytes(nonexist.key ?? new Uint8Array(), key)) throw new Error("not a non-existence proof of this key");
  const neighbours = [nonexist.left, nonexist.right].filter((row) => row !== null && row !== undefined);
  neighbours.forEach(wellFormed);
  // ICS-23 has no proof for an empty tree.
  if (neighbours.length === 0 && equalBytes(root, emptyRoot)) return;
  bySpecs((spec) => verifyNonMembership(decode(proof), spec, root, key), "absence");
}

// presence returns the value that a proof proves, or undefined if it proves that there is no row.
export function presence(root: Bytes, key: Bytes, proof: Bytes): Bytes | undefined {
  if (decode(proof).nonexist) {
    requireAbsent(root, key, proof);
    return undefined;
  }
  const { value } = presentRow(proof);
  requirePresent(root, key, value, proof);
  return value;
}

// requireNeighbours checks with a non-existence proof that two rows of the tree are adjacent, or that one row is the first
// or the last if the other is undefined.
export function requireNeighbours(root: Bytes, left: Row | undefined, right: Row | undefined): void {
  if (!left && !right) {
    if (!equalBytes(root, emptyRoot)) throw new Error("no rows, but the tree is not empty");
    return;
  }
  const between = left ? concat(left.key, Uint8Array.of(0)) : Uint8Array.of(0);
  if (right && equalBytes(between, right.key)) return;
  const nonexist = { key: between, left: left ?? null, right: right ?? null };
  const proof = ics23.CommitmentProof.create({ nonexist });
  bySpecs((spec) => verifyNonMembership(proof, spec, root, between), "adjacency");
}

// requireKey refuses keys that cannot be in the state root (T3.6, P7).
export function requireKey(key: Bytes): void {
  const [prefix = 0] = key;
  const merkleized = prefix >= 0x03 && prefix <= 0x1f && ![0x18, 0x19, 0x1e].includes(prefix);
  if (!merkleized || key.length > 288) throw new Error("not a key of the state root");
}

// decode accepts the canonical encoding only.
function decode(proof: Bytes): ics23.CommitmentProof {
  const decoded = ics23.CommitmentProof.decode(proof);
  if (!equalBytes(ics23.CommitmentProof.encode(decoded).finish(), proof)) throw new Error("proof is not canonical");
  return decoded;
}

// wellFormed is stricter than ICS-23, which allows bytes after the zero byte of a leaf prefix: the end of a chosen name
// could then pass for the key of another row.
function wellFormed(row: ics23.IExistenceProof): Row {
  if (row.leaf?.prefix?.length !== 1) throw new Error("leaf prefix is not one byte");
  for (const step of row.path ?? []) {
    const [before, after] = [step.prefix?.length ?? 0, step.suffix?.length ?? 0];
    if (!(before === 1 && after === 32) && !(before === 33 && after === 0)) throw new Error("not two children");
  }
  return { ...row, key: row.key ?? new Uint8Array(), value: row.value ?? new Uint8Array() };
}

// bySpecs requires the spec of the package and the published one to agree.
function bySpecs(verify: (spec: ics23.IProofSpec) => boolean, what: string): void {
  const results = [tendermintSpec, publishedSpec].map(verify);
  if (results.includes(false)) throw new Error(`${what} does not verify: ${results.join(", ")}`);
}
