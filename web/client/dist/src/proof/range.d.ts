import { type Existence } from "./existence.js";
/** Interval is a range of keys: those with a prefix, from the first or after a key. */
export interface Interval {
    readonly prefix: Uint8Array;
    readonly after: Uint8Array | undefined;
}
/** isBefore reports whether a key is less than all keys of an interval. */
export declare function isBefore({ prefix, after }: Interval, key: Uint8Array): boolean;
/** isBeyond reports whether a key is greater than all keys of an interval. */
export declare function isBeyond({ prefix }: Interval, key: Uint8Array): boolean;
/** isWithin reports whether a key is in an interval. */
export declare function isWithin(interval: Interval, key: Uint8Array): boolean;
/** ProvenEntry is a row of a response with its proof. */
export interface ProvenEntry {
    readonly key: Uint8Array;
    readonly value: Uint8Array;
    readonly proof: Uint8Array;
}
/** RangePage is a page of rows: GetRangeProofResponse. */
export interface RangePage {
    readonly root: Uint8Array;
    readonly entries: readonly ProvenEntry[];
    readonly lowerBoundProof: Uint8Array;
    readonly upperBoundProof: Uint8Array;
    readonly complete: boolean;
    readonly nextCursor: Uint8Array;
}
/** rangeCursor returns the cursor of the page that follows a key. The length of the prefix ties it to one list. */
export declare function rangeCursor(prefix: Uint8Array, last: Uint8Array): Uint8Array;
/**
 * verifyRange verifies that a page has every row with a prefix, from the first or from the end of the page that returned cursor, up
 * to its last row, and that no row follows when it is marked complete.
 */
export declare function verifyRange(root: Uint8Array, prefix: Uint8Array, cursor: Uint8Array, page: RangePage): void;
/** checkRoot compares the root of a response with the certified one. */
export declare function checkRoot(root: Uint8Array, named: Uint8Array): void;
/** readRun decodes the rows of an interval and their neighbours on either side; an empty proof means no neighbour. */
export declare function readRun(interval: Interval, lower: Uint8Array, entries: readonly ProvenEntry[], upper: Uint8Array): {
    lower: Existence | undefined;
    rows: Existence[];
    upper: Existence | undefined;
};
