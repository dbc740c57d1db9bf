// Limits of the proofs that are accepted, as in proof/ of the node, and the keys that can have a proof.
import { failed } from "../steps.js";
/** maxDepth is the longest path from a row to the root, in steps. */
export const maxDepth = 4096;
/** maxKeySize is the longest key of the state, in bytes: the tombstone of a ref with the longest name. */
export const maxKeySize = 1 + 1 + 32 + 254;
/** maxValueSize is well above the largest row, in bytes. */
export const maxValueSize = 16 << 10;
/** maxPageRows is the maximum number of rows in a page of a range. */
export const maxPageRows = 200;
/** maxGrants is the maximum number of storage grants in a quota proof. */
export const maxGrants = 4096;
/** maxAnswerSize is the maximum total size of the proofs in one response, in bytes. */
export const maxAnswerSize = 3 << 20;
/** maxCompactRows is the maximum number of rows in a compact range proof. */
export const maxCompactRows = 10_000;
const maxStepSize = 41;
const maxExistenceSize = maxDepth * maxStepSize + maxKeySize + maxValueSize + 64;
/** maxProofSize is the maximum size of one ICS-23 proof, in bytes. */
export const maxProofSize = 2 * maxExistenceSize + maxKeySize + 64;
const firstPrefix = 0x03;
const lastPrefix = 0x1f;
const derivedPrefixes = [0x18, 0x19];
/** checkKey refuses what is neither a key of the state root nor a prefix of one. */
export function checkKey(key) {
    if (key.length === 0 || key.length > maxKeySize)
        throw failed("key", `key has ${key.length} bytes, want 1 to ${maxKeySize}`);
    const prefix = key[0] ?? 0;
    if (prefix < firstPrefix || prefix > lastPrefix || derivedPrefixes.includes(prefix)) {
        throw failed("key", `prefix ${prefix} is not part of the state root`);
    }
}
