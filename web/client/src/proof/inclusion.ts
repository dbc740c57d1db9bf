// Proofs that a transaction is in a block, as CometBFT makes them: a path from the transaction to the root in the header.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesEqual, concat, hex } from "../bytes.js";
import { decoding, failed } from "../steps.js";
import { Message } from "../wire.js";

/** maxAunts is the maximum length of a path: more than any block needs. */
const maxAunts = 64;

/**
 * verifyInclusion verifies that a transaction is in the block whose header has a transactions root, at the given position. The root does
 * not commit to the number of transactions, so a dishonest node can state a wrong position; that the block contains the transaction is certain.
 */
export function verifyInclusion(transactionsRoot: Uint8Array, position: number, transaction: Uint8Array, proof: Uint8Array): void {
  const { total, index, leaf, aunts } = decoding(() => decodeProof(proof));
  if (aunts.length > maxAunts) throw failed("bounds", `path of ${aunts.length} steps, at most ${maxAunts}`);
  if (index !== BigInt(position)) throw failed("position", `proof is for position ${index}, not ${position}`);
  // CometBFT's leaves are the hashes of transactions.
  if (!bytesEqual(leaf, sha256(concat(Uint8Array.of(0), sha256(transaction))))) {
    throw failed("value", `proof is for another transaction than the given ${transaction.length} bytes`);
  }
  const sides = auntsOnLeft(index, total);
  if (sides.length !== aunts.length) throw failed("shape", `path of ${aunts.length} steps in a tree of ${total} leaves, want ${sides.length}`);
  const root = aunts.reduce((hash, aunt, step) => sha256(sides[sides.length - 1 - step] === true ? concat(Uint8Array.of(1), aunt, hash) : concat(Uint8Array.of(1), hash, aunt)), leaf);
  if (!bytesEqual(root, transactionsRoot)) throw failed("root", `proof leads to root ${hex(root)}, not ${hex(transactionsRoot)}`);
}

/** auntsOnLeft returns the side of each aunt, from the root down. The left subtree of n leaves has as many as the largest power of two below n. */
function auntsOnLeft(index: bigint, total: bigint): boolean[] {
  if (total <= 0n || index >= total) throw failed("shape", `position ${index} of ${total}`);
  const sides: boolean[] = [];
  while (total > 1n) {
    let left = 1n;
    while (2n * left < total) left *= 2n;
    const onLeft = index >= left;
    sides.push(onLeft);
    index = onLeft ? index - left : index;
    total = onLeft ? total - left : left;
  }
  return sides;
}

function decodeProof(encoded: Uint8Array) {
  const message = new Message(encoded, [4]);
  const proof = { total: message.int(1), index: message.int(2), leaf: message.bytes(3), aunts: message.messages(4) };
  message.end();
  return proof;
}
