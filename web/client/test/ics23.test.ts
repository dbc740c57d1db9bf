// Existence and absence proofs are accepted by @confio/ics23 too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ics23, tendermintSpec, verifyMembership as isMember, verifyNonMembership as isNotMember } from "@confio/ics23";
import vectors from "../../../testdata/vectors/proofs.json" with { type: "json" };
import { fromHex } from "../src/bytes.js";
import { verifyAbsence, verifyMembership } from "../src/proof/existence.js";

interface ProofSet {
  name: string;
  root: string;
  proofs: { name: string; key: string; present: boolean; value?: string; proof: string; valid: boolean }[];
}

test("every proof that is accepted is accepted by @confio/ics23", () => {
  let count = 0;
  for (const { name, root, proofs } of vectors as ProofSet[]) {
    for (const vector of proofs) {
      const [of, key, value, proof] = [fromHex(root), fromHex(vector.key), fromHex(vector.value ?? ""), fromHex(vector.proof)];
      if (!vector.valid || name === "no rows") continue; // ICS-23 has no proof for the empty tree
      const decoded = ics23.CommitmentProof.decode(proof);
      if (vector.present) verifyMembership(of, key, value, proof);
      else verifyAbsence(of, key, proof);
      const accepted = vector.present ? isMember(decoded, tendermintSpec, of, key, value) : isNotMember(decoded, tendermintSpec, of, key);
      assert.ok(accepted, `${name}: ${vector.name}`);
      count++;
    }
  }
  assert.ok(count >= 10, `${count} proofs`);
});
