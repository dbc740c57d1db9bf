// Proofs of rows: existence, non-existence, and members of sets (T3.1 to T3.3).

import { TombstoneRowSchema } from "../gen/makechain/state_pb.js";
import { fromBinary } from "@bufbuild/protobuf";
import { attempt } from "./attempt.js";
import { type Bytes, concat, fromHex, toHex } from "./bytes.js";
import { presence, requireAbsent, requireKey, requirePresent } from "./ics.js";
import { checkCompact, type CompactVector } from "./compact.js";
import { checkQuota, checkRange, type QuotaVector, type RangeVector } from "./ranges.js";
import { type Report, same } from "./report.js";
import { checkTrees, type RowSet } from "./tree.js";

interface ProofVector {
  name?: string;
  key: string;
  present: boolean;
  value?: string;
  proof: string;
  valid?: boolean;
}

// Omitted fields of a response have their default values.
interface CompoundVector {
  name: string;
  key: string;
  answer: {
    active_proof?: string;
    active_key_exists?: boolean;
    tombstone_proof?: string;
    tombstone_exists?: boolean;
    prune_marker_proof?: string;
    prune_marker_exists?: boolean;
    root?: string;
    value?: string;
    active?: boolean;
    added_at?: number;
    removal_ts?: number;
  };
  valid: boolean;
}

export interface ProvenSet extends RowSet {
  proofs: ProofVector[];
  compounds?: CompoundVector[];
  ranges?: RangeVector[];
  quotas?: QuotaVector[];
  compact_ranges?: CompactVector[];
}

export function checkProvenSets(report: Report, title: string, sets: ProvenSet[]): void {
  checkTrees(report, title, sets);
  for (const set of sets) {
    const check = (kind: string, name: string, valid: boolean, body: () => void) => {
      report.check(`${title}: ${set.name}: ${kind}: ${name}`, () => {
        if (valid) body();
        else same(attempt(() => (body(), "accepted")), undefined, "a proof that must be refused");
      });
    };
    for (const vector of set.proofs) {
      check("row", vector.name ?? vector.key, vector.valid ?? true, () => checkProof(vector, set));
    }
    for (const vector of set.compounds ?? []) {
      check("compound", vector.name, vector.valid, () => checkCompound(vector, fromHex(set.root)));
    }
    for (const vector of set.ranges ?? []) {
      check("range", vector.name, vector.valid, () => checkRange(vector, set));
    }
    for (const vector of set.compact_ranges ?? []) {
      check("compact range", vector.name, vector.valid, () => checkCompact(vector, set));
    }
    for (const vector of set.quotas ?? []) {
      check("quota", vector.name, vector.valid, () => checkQuota(vector, fromHex(set.root)));
    }
  }
}

// checkProof throws unless the proof is valid and agrees with the rows.
function checkProof(vector: ProofVector, set: ProvenSet): void {
  const [proof, root, key] = [fromHex(vector.proof), fromHex(set.root), fromHex(vector.key)];
  if (vector.present) requirePresent(root, key, fromHex(vector.value ?? ""), proof);
  else requireAbsent(root, key, proof);
  const row = set.rows.find((candidate) => candidate.key === vector.key);
  same(row?.value, vector.present ? vector.value : undefined, "value in the rows");
}

// Rows that can have a tombstone or a prune marker: verifications, refs, collaborators, links, reactions and merge
// requests.
const setPrefixes = [0x09, 0x0d, 0x0f, 0x10, 0x12, 0x1b];

function checkCompound({ key: hexKey, answer }: CompoundVector, root: Bytes): void {
  const key = fromHex(hexKey);
  requireKey(key);
  if (!setPrefixes.includes(key[0] ?? 0)) throw new Error("not a member of a set");
  same(answer.root, toHex(root), "root");
  const part = (prefix: number[], proof: string | undefined) =>
    presence(root, concat(Uint8Array.from(prefix), key), fromHex(proof ?? ""));
  const value = part([], answer.active_proof);
  const tombstone = part([0x03], answer.tombstone_proof);
  const marker = part([0x15], answer.prune_marker_proof);

  const [addedAt, removedAt] = [timestamp(value), Math.max(timestamp(tombstone), timestamp(marker))];
  const removed = tombstone !== undefined || marker !== undefined;
  same(answer.value ?? "", toHex(value ?? new Uint8Array()), "value");
  same(answer.active_key_exists ?? false, value !== undefined, "active key exists");
  same(answer.tombstone_exists ?? false, tombstone !== undefined, "tombstone exists");
  same(answer.prune_marker_exists ?? false, marker !== undefined, "prune marker exists");
  same(answer.added_at ?? 0, addedAt, "added at");
  same(answer.removal_ts ?? 0, removedAt, "removal time");
  same(answer.active ?? false, value !== undefined && (!removed || addedAt > removedAt), "active");
}

// timestamp reads field 1, which is the timestamp in all of these rows.
function timestamp(row: Bytes | undefined): number {
  return row === undefined ? 0 : fromBinary(TombstoneRowSchema, row).timestamp;
}
