/** Inner is an inner node on the path from a row to the root: what is hashed before and after the child. */
interface Inner {
    readonly hash: bigint;
    readonly prefix: Uint8Array;
    readonly suffix: Uint8Array;
}
/** Existence is the proof of a row. */
export interface Existence {
    readonly key: Uint8Array;
    readonly value: Uint8Array;
    /** Whether the leaf is hashed as the published spec prescribes. */
    readonly isLeaf: boolean;
    readonly path: readonly Inner[];
}
/** Absence is the proof that there is no row with a key: its neighbours. */
export interface Absence {
    readonly key: Uint8Array;
    readonly left: Existence | undefined;
    readonly right: Existence | undefined;
}
/** hashInner returns the hash of an inner node. */
export declare function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array;
/** hashLeaf returns the hash of a row, of whose value the hash is given. */
export declare function hashLeaf(key: Uint8Array, valueHash: Uint8Array): Uint8Array;
/** isEmptyRoot reports whether a root is that of the empty tree. */
export declare function isEmptyRoot(root: Uint8Array): boolean;
/** verifyMembership verifies that a row is in the tree of a root. */
export declare function verifyMembership(root: Uint8Array, key: Uint8Array, value: Uint8Array, proof: Uint8Array): void;
/** verifyAbsence verifies that the tree of a root has no row with a key. The empty tree has no neighbours. */
export declare function verifyAbsence(root: Uint8Array, key: Uint8Array, proof: Uint8Array): void;
/** verifyPresence verifies the proof of a row or of its absence, and returns its value, undefined when it is absent. */
export declare function verifyPresence(root: Uint8Array, key: Uint8Array, proof: Uint8Array): Uint8Array | undefined;
/** Run is a list of rows that are claimed to be adjacent in the tree, with the rows before and after. */
export interface Run {
    readonly lower: Existence | undefined;
    readonly rows: readonly Existence[];
    readonly upper: Existence | undefined;
    /** The run is complete: without upper it ends at the last row of the tree. */
    readonly closed: boolean;
}
/** verifyRun verifies that every row leads to a root, that they are in order, and that no other row is between them. */
export declare function verifyRun(root: Uint8Array, { lower, rows, upper, closed }: Run): void;
/** decodeExistence decodes the proof of a row. */
export declare function decodeExistence(proof: Uint8Array): Existence;
export {};
