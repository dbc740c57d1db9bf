// Range proofs and the storage quotas derived from them (T3.4, T3.5).

import { fromBinary } from "@bufbuild/protobuf";
import { AccountRowSchema, StorageGrantRowSchema, UsernameRowSchema } from "../gen/makechain/state_pb.js";
import { bigEndian, type Bytes, compareBytes, concat, equalBytes, fromHex, startsWith, toHex, utf8 } from "./bytes.js";
import { presence, presentRow, requireKey, requireNeighbours, requirePresent, type Row } from "./ics.js";
import { same } from "./report.js";
import type { RowSet } from "./tree.js";

interface Entry {
  key: string;
  value: string;
  proof: string;
}

export interface RangeVector {
  name: string;
  prefix: string;
  cursor: string;
  answer: {
    root?: string;
    entries?: Entry[];
    lower_bound_proof?: string;
    upper_bound_proof?: string;
    complete?: boolean;
    next_cursor?: string;
  };
  valid: boolean;
}

export interface QuotaVector {
  name: string;
  owner: string;
  as_of: number;
  answer: {
    as_of_unix_time?: number;
    owner_address?: string;
    root?: string;
    lower_bound_key?: string;
    lower_bound_proof?: string;
    upper_bound_key?: string;
    upper_bound_proof?: string;
    grants?: Entry[];
    account_value?: string;
    account_proof?: string;
    username_proof?: string;
    [number: string]: unknown;
  };
  valid: boolean;
}

// Interval is the range of keys under a prefix, all of them or those after a key.
export interface Interval {
  prefix: Bytes;
  after: Bytes | undefined;
}

const maxPageRows = 200;

// checkRange throws unless the page is valid and has exactly the rows of the set that it should.
export function checkRange({ prefix: hexPrefix, cursor, answer }: RangeVector, set: RowSet): void {
  const [prefix, root, entries] = [fromHex(hexPrefix), fromHex(set.root), answer.entries ?? []];
  requireKey(prefix);
  same(answer.root, set.root, "root");
  if (entries.length > maxPageRows) throw new Error("page is too long");
  checkEnd(prefix, entries, answer);
  const interval = { prefix, after: afterCursor(prefix, fromHex(cursor)) };
  const { lower, rows, upper } = readRows(root, interval, answer.lower_bound_proof, entries, answer.upper_bound_proof);
  requireAllNeighbours(root, lower, rows, answer.complete === true ? "closed" : "open", upper);

  const expected = set.rows
    .map((row) => row.key)
    .filter((key) => contains(interval, fromHex(key)))
    .sort();
  const shown = entries.map((entry) => entry.key);
  same(shown.join(), expected.slice(0, answer.complete === true ? undefined : shown.length).join(), "keys in the rows");
}

// checkEnd requires a page to be complete or to have the cursor of the next one.
function checkEnd(prefix: Bytes, entries: Entry[], answer: RangeVector["answer"]): void {
  const next = answer.next_cursor ?? "";
  if (answer.complete === true) return same(next, "", "cursor of a complete page");
  const last = entries.at(-1);
  if (!last) throw new Error("page is neither complete nor has rows");
  same(answer.upper_bound_proof ?? "", "", "upper bound of a page that is not complete");
  same(next, toHex(concat(bigEndian(prefix.length, 2), fromHex(last.key))), "next cursor");
}

// A cursor is the length of the prefix in two bytes, followed by the last key of the page.
function afterCursor(prefix: Bytes, cursor: Bytes): Bytes | undefined {
  if (cursor.length === 0) return undefined;
  const last = cursor.subarray(2);
  if (!equalBytes(cursor.subarray(0, 2), bigEndian(prefix.length, 2)) || !startsWith(last, prefix)) {
    throw new Error("cursor of another list");
  }
  return last;
}

export function isBefore({ prefix, after }: Interval, key: Bytes): boolean {
  return after ? compareBytes(key, after) <= 0 : compareBytes(key, prefix) < 0;
}

export function contains(interval: Interval, key: Bytes): boolean {
  return startsWith(key, interval.prefix) && !isBefore(interval, key);
}

export function isBeyond({ prefix }: Interval, key: Bytes): boolean {
  return compareBytes(key, prefix) > 0 && !startsWith(key, prefix);
}

interface Rows {
  lower: Row | undefined;
  rows: Row[];
  upper: Row | undefined;
}

// readRows verifies every row and every bound against the root, and that each bound is on its side of the interval.
function readRows(
  root: Bytes, interval: Interval, lower: string | undefined, entries: Entry[], upper: string | undefined,
): Rows {
  const bound = (proof: string | undefined, outside: (key: Bytes) => boolean) => {
    if (proof === undefined || proof === "") return undefined;
    const row = presentRow(fromHex(proof));
    requirePresent(root, row.key, row.value, fromHex(proof));
    if (!outside(row.key)) throw new Error("bound on the wrong side");
    return row;
  };
  const rows = entries.map((entry) => {
    requirePresent(root, fromHex(entry.key), fromHex(entry.value), fromHex(entry.proof));
    if (!contains(interval, fromHex(entry.key))) throw new Error("row outside of the range");
    return presentRow(fromHex(entry.proof));
  });
  return { lower: bound(lower, (key) => isBefore(interval, key)), rows, upper: bound(upper, (key) => isBeyond(interval, key)) };
}

// requireAllNeighbours requires that there are no rows between, before and, if closed, after the given ones.
function requireAllNeighbours(
  root: Bytes, lower: Row | undefined, rows: Row[], end: "open" | "closed", upper: Row | undefined,
): void {
  const all = [lower, ...rows, ...(end === "closed" ? [upper] : [])];
  for (let i = 1; i < all.length; i++) requireNeighbours(root, all[i - 1], all[i]);
}

// checkQuota throws unless the numbers follow from all grants of the owner and from its rows.
export function checkQuota({ owner: hexOwner, as_of: asOf, answer }: QuotaVector, root: Bytes): void {
  const owner = fromHex(hexOwner);
  same(answer.root, toHex(root), "root");
  same(answer.owner_address, hexOwner, "owner");
  same(answer.as_of_unix_time ?? 0, asOf, "time");
  const units = provenUnits(root, owner, asOf, answer);
  const usable = hasUsername(root, owner, answer) ? units : 0;
  const numbers: Record<string, number> = {
    storage_units: units,
    usable_storage_units: usable,
    max_projects: 10 * usable,
    max_links: 5_000 * usable,
    max_verifications: 50 * usable,
    max_reactions: 10_000 * usable,
    max_collaborators_per_project: 50 * usable,
    max_merge_requests_per_project: 20 * usable,
    max_merge_requests_per_requester: 20 * usable,
  };
  for (const [name, number] of Object.entries(numbers)) same(answer[name] ?? 0, saturate(number), name);
}

function saturate(number: number): number {
  return Math.min(number, 0xffffffff);
}

function provenUnits(root: Bytes, owner: Bytes, asOf: number, answer: QuotaVector["answer"]): number {
  const prefix = concat(Uint8Array.of(0x16), owner);
  // Grants are sorted by expiry: those that expire at asOf or before are at or before this key.
  const after = concat(prefix, bigEndian(asOf, 4), new Uint8Array(32).fill(0xff));
  const grants = answer.grants ?? [];
  const { lower, rows, upper } = readRows(root, { prefix, after }, answer.lower_bound_proof, grants, answer.upper_bound_proof);
  same(answer.lower_bound_key ?? "", lower ? toHex(lower.key) : "", "lower bound");
  same(answer.upper_bound_key ?? "", upper ? toHex(upper.key) : "", "upper bound");
  requireAllNeighbours(root, lower, rows, "closed", upper);
  return saturate(rows.reduce((sum, row) => sum + fromBinary(StorageGrantRowSchema, row.value).units, 0));
}

// hasUsername reports whether the account has a username whose row refers to the account.
function hasUsername(root: Bytes, owner: Bytes, answer: QuotaVector["answer"]): boolean {
  const account = presence(root, concat(Uint8Array.of(0x04), owner), fromHex(answer.account_proof ?? ""));
  same(answer.account_value ?? "", account ? toHex(account) : "", "account row");
  const username = account ? fromBinary(AccountRowSchema, account).username : "";
  if (username === "") {
    same(answer.username_proof ?? "", "", "proof of no username");
    return false;
  }
  const row = presence(root, concat(Uint8Array.of(0x08), utf8(username)), fromHex(answer.username_proof ?? ""));
  return row !== undefined && equalBytes(fromBinary(UsernameRowSchema, row).ownerAddress, owner);
}
