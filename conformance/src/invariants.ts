// Invariants of the rows of a state (P12) that the rows alone determine: counters (I3), reverse rows (I3, I9), usernames
// (I6, I7), project names, and the validators.

import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { MergeRequestOutcome } from "../gen/makechain/merge_request_pb.js";
import * as state from "../gen/makechain/state_pb.js";
import { fromHex, toHex, utf8 } from "./bytes.js";
import { same } from "./report.js";
import type { Row } from "./tree.js";
import { checkRulesRow } from "./rules.js";
import { checkSettlementRow } from "./settlement.js";
import { checkValidators } from "./validators.js";

export function checkInvariants(rows: Row[]): void {
  const table = new Table(rows);
  table.each("04", state.AccountRowSchema, (owner, row) => checkAccount(table, owner, row));
  table.each("08", state.UsernameRowSchema, (username, row) => {
    const account = table.get(`04${toHex(row.ownerAddress)}`, state.AccountRowSchema);
    same(account && toHex(utf8(account.username)), username, "username of the account that a username names");
  });
  table.each("0a", state.ProjectRowSchema, (project, row) => checkProject(table, project, row));
  checkMirror(table, "06", "07", (key) => (key.slice(40, 42) === "00" ? [key.slice(42)] : []));
  checkMirror(table, "10", "11", (key) => [key.slice(40) + key.slice(0, 40)]);
  checkMirror(table, "12", "13", (key) => [key.slice(40) + key.slice(0, 40)]);
  table.each("1b", state.MergeRequestRowSchema, (key, row) => {
    table.need(`1c${toHex(row.requesterOwnerAddress)}${key}`, "reverse row of a merge request");
  });
  same(table.count("1c"), table.count("1b"), "reverse rows of merge requests");
  table.each("1e", state.ClosedMergeRequestRowSchema, (key, row) => checkClosed(table, key, row));
  table.each("1d", state.ValidatorsRowSchema, checkValidators);
  table.each("20", state.SettlementRowSchema, checkSettlementRow);
  table.each("21", state.RulesRowSchema, checkRulesRow);
  table.keys("03").forEach((removed) => same(table.has(removed), false, `row ${removed} beside its tombstone`));
}

const maxUnits = 0xffffffff;

function checkAccount(table: Table, owner: string, row: state.AccountRow): void {
  same(row.keyCount, table.count(`06${owner}00`), "keys of an account");
  same(row.projectCount, table.projectsOf(owner), "projects of an account");
  same(row.mergeRequestCount, table.count(`1c${owner}`), "merge requests of an account");
  checkGrants(table, owner, row);
  if (row.username !== "") {
    const holder = table.get(`08${toHex(utf8(row.username))}`, state.UsernameRowSchema);
    same(holder && toHex(holder.ownerAddress), owner, "account of a username");
    if (row.storageUnits === 0) throw new Error(`username ${row.username} without storage`);
  }
  const counters: [string, string][] = [["01", "10"], ["02", "12"], ["03", "09"]];
  for (const [kind, prefix] of counters) {
    same(table.counter(owner, kind), table.count(prefix + owner), `counter ${kind}`);
    same(table.counter(owner, kind.replace("0", "1")), table.count(`03${prefix}${owner}`), `counter of tombstones ${kind}`);
    same(table.counter(owner, kind.replace("0", "2")), table.count(`15${prefix}${owner}`), `counter of prune markers ${kind}`);
  }
}

function checkGrants(table: Table, owner: string, row: state.AccountRow): void {
  const ends = table.keys(`16${owner}`).map((key) => Number.parseInt(key.slice(0, 8), 16));
  same(row.nextExpiry, ends.length === 0 ? 0 : Math.min(...ends), "next expiry of an account");
  let units = 0;
  table.each(`16${owner}`, state.StorageGrantRowSchema, (_key, grant) => (units += grant.units));
  same(row.storageUnits, Math.min(units, maxUnits), "storage units of an account");
}

function checkProject(table: Table, project: string, row: state.ProjectRow): void {
  same(row.refCount, table.count(`0d${project}`), "refs");
  same(row.refTombstoneCount, table.count(`030d${project}`), "tombstones of refs");
  same(row.commitCount, table.count(`0e${project}`), "commits");
  same(row.collaboratorCount, table.count(`0f${project}`), "collaborators");
  same(row.collaboratorTombstoneCount, table.count(`030f${project}`), "tombstones of collaborators");
  same(row.collaboratorMarkerCount, table.count(`150f${project}`), "prune markers of collaborators");
  same(row.mergeRequestCount, table.count(`1b${project}`), "merge requests");
  same(row.mergeRequestTombstoneCount, table.count(`031b${project}`), "tombstones of merge requests");
  same(row.closedMergeRequestCount, table.count(`1e${project}`), "closed merge requests");
  same(row.contentCount, table.count(`1f${project}`), "contents");
  if (row.swept) {
    same(row.status, state.ProjectStatus.REMOVED, "status of a swept project");
    same(table.count(`0b${project}`) + table.count(`150f${project}`), 0, "other rows of a swept project");
  }
  const name = table.get(`0b${project}01`, state.ProjectMetadataRowSchema);
  const holder = table.get(`0c${toHex(row.ownerAddress)}${toHex(utf8(name?.value ?? ""))}`, state.ProjectNameRowSchema);
  const named = holder !== undefined && toHex(holder.projectId) === project;
  same(named, row.status !== state.ProjectStatus.REMOVED, "a name for all but removed projects");
  table.each(`0d${project}`, state.RefRowSchema, (_name, ref) => {
    table.need(`0e${project}${toHex(ref.hash)}`, "commit of a ref");
  });
}

function checkClosed(table: Table, key: string, row: state.ClosedMergeRequestRow): void {
  same(table.has(`1b${key}`), false, "an open merge request that is closed");
  same(row.mergeCommit.length, row.outcome === MergeRequestOutcome.MERGED ? 32 : 0, "bytes of a merge commit");
  same(row.replacedBy.length, row.outcome === MergeRequestOutcome.SUPERSEDED ? 32 : 0, "bytes of a replacement");
  if (row.outcome === MergeRequestOutcome.UNSPECIFIED) throw new Error("a closed merge request has no outcome");
  if (row.outcome === MergeRequestOutcome.WITHDRAWN || row.outcome === MergeRequestOutcome.SUPERSEDED) {
    same(toHex(row.closerOwnerAddress), toHex(row.requesterOwnerAddress), "account that withdrew a merge request");
  }
}

// checkMirror requires every row under one prefix to have a row under another, and vice versa.
function checkMirror(table: Table, from: string, to: string, mirrored: (key: string) => string[]): void {
  const expected = table.keys(from).flatMap(mirrored).sort();
  same(table.keys(to).join(), expected.join(), `rows of ${to} for those of ${from}`);
}

// Table looks up rows by key and by prefix.
class Table {
  private readonly rows: ReadonlyMap<string, string>;

  constructor(rows: Row[]) {
    this.rows = new Map(rows.map((row) => [row.key, row.value]));
  }

  // keys returns the keys that start with a prefix, in order and without the prefix.
  keys(prefix: string): string[] {
    return [...this.rows.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)).sort();
  }

  has(key: string): boolean {
    return this.rows.has(key);
  }

  count(prefix: string): number {
    return this.keys(prefix).length;
  }

  need(key: string, what: string): void {
    if (!this.rows.has(key)) throw new Error(`${what}: no row ${key}`);
  }

  get<S extends DescMessage>(key: string, schema: S): MessageShape<S> | undefined {
    const value = this.rows.get(key);
    return value === undefined ? undefined : fromBinary(schema, fromHex(value));
  }

  each<S extends DescMessage>(prefix: string, schema: S, check: (key: string, row: MessageShape<S>) => void): void {
    for (const key of this.keys(prefix)) {
      const row = this.get(prefix + key, schema);
      if (row) check(key, row);
    }
  }

  counter(owner: string, kind: string): number {
    return this.get(`14${owner}${kind}`, state.CounterRowSchema)?.count ?? 0;
  }

  projectsOf(owner: string): number {
    let count = 0;
    this.each("0a", state.ProjectRowSchema, (_id, row) => {
      if (toHex(row.ownerAddress) === owner && row.status !== state.ProjectStatus.REMOVED) count++;
    });
    return count;
  }
}
