import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "@noble/hashes/sha2.js";
import { concat } from "../src/bytes.js";
import { verifyInclusion } from "../src/proof/inclusion.js";
import { bytesField, uintField } from "../src/wire.js";

const leafOf = (transaction: Uint8Array) => sha256(concat(Uint8Array.of(0), sha256(transaction)));

/** path returns the root of leaves and the aunts of one of them, from the leaf upwards. */
function path(leaves: readonly Uint8Array[], index: number): { root: Uint8Array; aunts: Uint8Array[] } {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return { root: only, aunts: [] };
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  const left = path(leaves.slice(0, split), Math.min(index, split - 1));
  const right = path(leaves.slice(split), Math.max(index - split, 0));
  const root = sha256(concat(Uint8Array.of(1), left.root, right.root));
  return index < split ? { root, aunts: [...left.aunts, right.root] } : { root, aunts: [...right.aunts, left.root] };
}

test("every transaction of a block is included, and nothing else", () => {
  for (let total = 1; total <= 9; total++) {
    const transactions = Array.from({ length: total }, (_, at) => Uint8Array.of(at, total));
    const leaves = transactions.map(leafOf);
    transactions.forEach((transaction, index) => {
      const { root, aunts } = path(leaves, index);
      const proof = concat(uintField(1, BigInt(total)), uintField(2, BigInt(index)), bytesField(3, leafOf(transaction)), ...aunts.map((aunt) => bytesField(4, aunt)));
      verifyInclusion(root, index, transaction, proof);
      assert.throws(() => verifyInclusion(root, index + 1, transaction, proof), { step: "position" });
      assert.throws(() => verifyInclusion(root, index, Uint8Array.of(99), proof), { step: "value" });
      assert.throws(() => verifyInclusion(new Uint8Array(32), index, transaction, proof), { step: "root" });
      for (let at = 0; at < proof.length; at++) {
        const changed = Uint8Array.from(proof);
        changed[at] = (changed[at] ?? 0) ^ 0x80;
        assert.throws(() => verifyInclusion(root, index, transaction, changed), { name: "ProofError" });
      }
    });
  }
});

test("a path of the wrong length is refused", () => {
  const transaction = Uint8Array.of(1);
  const proof = (total: bigint) => concat(uintField(1, total), bytesField(3, leafOf(transaction)));
  verifyInclusion(leafOf(transaction), 0, transaction, proof(1n));
  assert.throws(() => verifyInclusion(leafOf(transaction), 0, transaction, proof(2n)), { step: "shape" });
  assert.throws(() => verifyInclusion(leafOf(transaction), 0, transaction, proof(0n)), { step: "shape" });
});
