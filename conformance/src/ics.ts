// ICS-23 proofs as @confio/ics23 sees them, and what this chain asks of them beyond that.

import { ics23, tendermintSpec, verifyMembership, verifyNonMembership } from "@confio/ics23";
import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, equalBytes } from "./bytes.js";

// The npm package sets no bound on the depth in its tendermintSpec, where the Go package stops at 128.
// The published spec is TendermintSpec with a bound of 4,096 and nothing else changed (T1.4).
const publishedSpec: ics23.IProofSpec = { ...tendermintSpec, maxDepth: 4096 };

export type Row = ics23.IExistenceProof & { key: Uint8Array; value: Uint8Array };

const emptyRoot = sha256(new Uint8Array());

// presentRow reads a proof of presence and checks its form, but not yet its root.
export function presentRow(proof: Bytes): Row {
  const { exist } = decode(proof);
  if (!exist) throw new Error("not a proof of presence");
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
  if (!nonexist || !equalBytes(nonexist.key ?? new Uint8Array(), key)) throw new Error("not a proof of this absence");
  const neighbours = [nonexist.left, nonexist.right].filter((row) => row !== null && row !== undefined);
  neighbours.forEach(wellFormed);
  // ICS-23 has no way to say that a tree is empty.
  if (neighbours.length === 0 && equalBytes(root, emptyRoot)) return;
  bySpecs((spec) => verifyNonMembership(decode(proof), spec, root, key), "absence");
}

// presence returns the value that a proof shows, or undefined where it shows that there is none.
export function presence(root: Bytes, key: Bytes, proof: Bytes): Bytes | undefined {
  if (decode(proof).nonexist) {
    requireAbsent(root, key, proof);
    return undefined;
  }
  const { value } = presentRow(proof);
  requirePresent(root, key, value, proof);
  return value;
}

// requireNeighbours checks that two rows of the tree have no row between them; without the one or the other,
// that no row lies before or after. That is what a proof of absence between them says.
export function requireNeighbours(root: Bytes, left: Row | undefined, right: Row | undefined): void {
  if (!left && !right) {
    if (!equalBytes(root, emptyRoot)) throw new Error("no rows shown, and the tree is not empty");
    return;
  }
  const between = left ? concat(left.key, Uint8Array.of(0)) : Uint8Array.of(0);
  if (right && equalBytes(between, right.key)) return;
  const nonexist = { key: between, left: left ?? null, right: right ?? null };
  const proof = ics23.CommitmentProof.create({ nonexist });
  bySpecs((spec) => verifyNonMembership(proof, spec, root, between), "adjacency");
}

// requireKey refuses what can be no key of the state root (T3.6, P7).
export function requireKey(key: Bytes): void {
  const [prefix = 0] = key;
  const merkleized = prefix >= 0x03 && prefix <= 0x1d && prefix !== 0x18 && prefix !== 0x19;
  if (!merkleized || key.length > 288) throw new Error("not a key of the state root");
}

// decode takes the canonical encoding only: any other encoding is refused.
function decode(proof: Bytes): ics23.CommitmentProof {
  const decoded = ics23.CommitmentProof.decode(proof);
  if (!equalBytes(ics23.CommitmentProof.encode(decoded).finish(), proof)) throw new Error("proof is not canonical");
  return decoded;
}

// wellFormed is stricter than ICS-23, which lets the prefix of a leaf go on after its zero byte: whoever
// chooses a name could then hide a key of another row in the end of its own.
function wellFormed(row: ics23.IExistenceProof): Row {
  if (row.leaf?.prefix?.length !== 1) throw new Error("leaf prefix is not one byte");
  for (const step of row.path ?? []) {
    const [before, after] = [step.prefix?.length ?? 0, step.suffix?.length ?? 0];
    if (!(before === 1 && after === 32) && !(before === 33 && after === 0)) throw new Error("not two children");
  }
  return { ...row, key: row.key ?? new Uint8Array(), value: row.value ?? new Uint8Array() };
}

// bySpecs needs the ready-made spec and the published one to agree.
function bySpecs(verify: (spec: ics23.IProofSpec) => boolean, what: string): void {
  const verdicts = [tendermintSpec, publishedSpec].map(verify);
  if (verdicts.includes(false)) throw new Error(`${what} does not verify: ${verdicts.join(", ")}`);
}
