// Proofs that a page of rows under a prefix is complete.
import { bigEndian, bytesEqual, compareBytes, concat, hasPrefix, hex } from "../bytes.js";
import { failed, within } from "../steps.js";
import { checkKey, maxAnswerSize, maxKeySize, maxPageRows } from "./bounds.js";
import { decodeExistence, verifyRun } from "./existence.js";
/** isBefore reports whether a key is less than all keys of an interval. */
export function isBefore({ prefix, after }, key) {
    return after === undefined ? compareBytes(key, prefix) < 0 : compareBytes(key, after) <= 0;
}
/** isBeyond reports whether a key is greater than all keys of an interval. */
export function isBeyond({ prefix }, key) {
    return compareBytes(key, prefix) > 0 && !hasPrefix(key, prefix);
}
/** isWithin reports whether a key is in an interval. */
export function isWithin(interval, key) {
    return hasPrefix(key, interval.prefix) && !isBefore(interval, key);
}
/** rangeCursor returns the cursor of the page that follows a key. The length of the prefix ties it to one list. */
export function rangeCursor(prefix, last) {
    return concat(bigEndian(BigInt(prefix.length), 2), last);
}
/**
 * verifyRange verifies that a page has every row with a prefix, from the first or from the end of the page that returned cursor, up
 * to its last row, and that no row follows when it is marked complete.
 */
export function verifyRange(root, prefix, cursor, page) {
    const interval = openInterval(prefix, cursor);
    checkRoot(root, page.root);
    if (page.entries.length > maxPageRows)
        throw failed("bounds", `page has ${page.entries.length} rows, at most ${maxPageRows}`);
    checkEnd(prefix, page);
    const run = readRun(interval, page.lowerBoundProof, page.entries, page.upperBoundProof);
    verifyRun(root, { ...run, closed: page.complete });
}
/** checkRoot compares the root of a response with the certified one. */
export function checkRoot(root, named) {
    if (!bytesEqual(root, named))
        throw failed("root", `response is for root ${hex(named)}, not ${hex(root)}`);
}
function openInterval(prefix, cursor) {
    checkKey(prefix);
    if (cursor.length === 0)
        return { prefix, after: undefined };
    const last = cursor.subarray(2);
    if (last.length > maxKeySize || !hasPrefix(last, prefix) || !bytesEqual(cursor, rangeCursor(prefix, last)))
        throw failed("key", "cursor of another list");
    return { prefix, after: last };
}
/** checkEnd checks that a page is either complete or has the cursor of its last row. */
function checkEnd(prefix, page) {
    const last = page.entries.at(-1);
    if (page.complete) {
        if (page.nextCursor.length > 0)
            throw failed("claim", "page is complete and has a next cursor");
    }
    else if (last === undefined) {
        throw failed("claim", "page is neither complete nor has rows");
    }
    else if (page.upperBoundProof.length > 0) {
        throw failed("claim", "page is not complete and has an upper bound");
    }
    else if (!bytesEqual(page.nextCursor, rangeCursor(prefix, last.key))) {
        throw failed("claim", "next cursor is not that of the last row");
    }
}
/** readRun decodes the rows of an interval and their neighbours on either side; an empty proof means no neighbour. */
export function readRun(interval, lower, entries, upper) {
    const size = entries.reduce((sum, { key, value, proof }) => sum + key.length + value.length + proof.length, lower.length + upper.length);
    if (size > maxAnswerSize)
        throw failed("bounds", `proofs have ${size} bytes, at most ${maxAnswerSize}`);
    return {
        lower: within("lower bound", () => readBound(lower, (key) => isBefore(interval, key))),
        upper: within("upper bound", () => readBound(upper, (key) => isBeyond(interval, key))),
        rows: entries.map((entry, i) => within(`entry ${i}`, () => readEntry(entry, interval))),
    };
}
function readBound(proof, isOutside) {
    if (proof.length === 0)
        return undefined;
    const row = decodeExistence(proof);
    if (!isOutside(row.key))
        throw failed("order", `${hex(row.key)} is on the wrong side`);
    return row;
}
function readEntry(entry, interval) {
    const row = decodeExistence(entry.proof);
    if (!bytesEqual(row.key, entry.key))
        throw failed("key", `proof is for ${hex(row.key)}, the entry for ${hex(entry.key)}`);
    if (!bytesEqual(row.value, entry.value))
        throw failed("value", "proof is for another value than the entry's");
    if (!isWithin(interval, row.key))
        throw failed("order", `${hex(row.key)} is not in the range`);
    return row;
}
