import type { CompactRangeProof } from "../../gen/schema.js";
/**
 * verifyCompactRange verifies that a proof has every row with a prefix, from the first or the first after a key, up to its last row,
 * and when it is complete that no row with the prefix follows. An incomplete proof has at least one row.
 */
export declare function verifyCompactRange(root: Uint8Array, prefix: Uint8Array, after: Uint8Array | undefined, complete: boolean, proof: CompactRangeProof): void;
