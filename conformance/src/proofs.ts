// Proofs of rows: present, absent, compound, complete ranges and storage quotas (T3).

import { fromHex } from "./bytes.js";
import { provesAbsence, provesPresence } from "./ics.js";
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

export interface ProvenSet extends RowSet {
  proofs: ProofVector[];
}

export function checkProvenSets(report: Report, title: string, sets: ProvenSet[]): void {
  checkTrees(report, title, sets);
  for (const set of sets) {
    set.proofs.forEach((vector) => {
      const what = vector.name ?? `${vector.present ? "presence" : "absence"} of ${vector.key}`;
      report.check(`${title}: ${set.name}: ${what}`, () => checkProof(vector, set));
    });
  }
}

function checkProof(vector: ProofVector, set: ProvenSet): void {
  const [proof, root, key] = [fromHex(vector.proof), fromHex(set.root), fromHex(vector.key)];
  const valid = vector.present
    ? provesPresence(proof, root, key, fromHex(vector.value ?? ""))
    : provesAbsence(proof, root, key);
  same(valid, vector.valid ?? true, "valid");
  if (!valid) return;
  const row = set.rows.find((candidate) => candidate.key === vector.key);
  same(row?.value, vector.present ? vector.value : undefined, "value in the rows");
}
