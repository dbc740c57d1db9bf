// ICS-23 proofs as @confio/ics23 sees them.

import { ics23, tendermintSpec, verifyMembership, verifyNonMembership } from "@confio/ics23";
import type { Bytes } from "./bytes.js";

// The npm package sets no bound on the depth in its tendermintSpec, where the Go package stops at 128.
// The published spec is TendermintSpec with a bound of 4,096 and nothing else changed (T1.4).
const maxDepth = 4096;
const publishedSpec: ics23.IProofSpec = { ...tendermintSpec, maxDepth };

const specs = [tendermintSpec, publishedSpec];

export function provesPresence(proof: Bytes, root: Bytes, key: Bytes, value: Bytes): boolean {
  return agreed(proof, (decoded, spec) => verifyMembership(decoded, spec, root, key, value));
}

export function provesAbsence(proof: Bytes, root: Bytes, key: Bytes): boolean {
  return agreed(proof, (decoded, spec) => verifyNonMembership(decoded, spec, root, key));
}

function agreed(proof: Bytes, verify: (decoded: ics23.CommitmentProof, spec: ics23.IProofSpec) => boolean): boolean {
  let decoded: ics23.CommitmentProof;
  try {
    decoded = ics23.CommitmentProof.decode(proof);
  } catch {
    return false;
  }
  const verdicts = specs.map((spec) => verify(decoded, spec));
  if (verdicts[0] !== verdicts[1]) throw new Error("the two specs disagree");
  return verdicts[0] === true;
}
