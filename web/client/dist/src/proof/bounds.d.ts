/** maxDepth is the longest path from a row to the root, in steps. */
export declare const maxDepth = 4096;
/** maxKeySize is the longest key of the state, in bytes: the tombstone of a ref with the longest name. */
export declare const maxKeySize: number;
/** maxValueSize is well above the largest row, in bytes. */
export declare const maxValueSize: number;
/** maxPageRows is the maximum number of rows in a page of a range. */
export declare const maxPageRows = 200;
/** maxGrants is the maximum number of storage grants in a quota proof. */
export declare const maxGrants = 4096;
/** maxAnswerSize is the maximum total size of the proofs in one response, in bytes. */
export declare const maxAnswerSize: number;
/** maxCompactRows is the maximum number of rows in a compact range proof. */
export declare const maxCompactRows = 10000;
/** maxProofSize is the maximum size of one ICS-23 proof, in bytes. */
export declare const maxProofSize: number;
/** checkKey refuses what is neither a key of the state root nor a prefix of one. */
export declare function checkKey(key: Uint8Array): void;
