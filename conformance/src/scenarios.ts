// Scenarios: checks every message up to its authority and the order of every block, and computes every root from the rows
// that the blocks wrote.

import { blake3 } from "@noble/hashes/blake3.js";
import type { MessageType } from "../gen/makechain/message_pb.js";
import { authorityCodes, authorize, type Context, type Genesis, type Refusal } from "./authority.js";
import { fromHex, toHex } from "./bytes.js";
import { decode, encode, type Fields } from "./canonical.js";
import { checkInvariants } from "./invariants.js";
import { bodyName, isCustodyType, isProjectType } from "./kinds.js";
import { type Report, same } from "./report.js";
import { checkRowValue } from "./rows.js";
import { rootOf, type Row } from "./tree.js";
import { check, type Result, resultText } from "./result.js";

interface Applied {
  name: string;
  hash: string;
  transaction: string;
}

interface Refused extends Applied {
  verdict: Exclude<Result, "accepted">;
}

// A proposal is invalid because of its order ("order"), or because of a message that cannot apply ("message").
interface Invalid {
  name: string;
  reason: "order" | "message";
  transactions: string[];
}

interface Block {
  height: number;
  time: number;
  transactions: Applied[];
  invalid?: Invalid[];
  refused?: Refused[];
  changes: { key: string; value?: string }[];
  state_root: string;
}

export interface Scenario {
  name: string;
  genesis: Genesis;
  blocks: Block[];
  rows: Row[];
  replays: { hash: string; verdict: Exclude<Result, "accepted"> }[];
}

export function checkScenario(report: Report, file: string, scenario: Scenario): void {
  let rows: ReadonlyMap<string, string> = new Map();
  const nonces = new Map<string, number>();
  const applied = new Set<string>();
  let previous: Block | undefined;
  for (const block of scenario.blocks) {
    const at = `${file}: block ${block.height}`;
    const before = rows;
    report.check(`${at}: follows`, () => checkPosition(block, previous));
    report.check(`${at}: order`, () => {
      same(isOrdered(block.transactions.map((message) => message.transaction)), true, "order of the block");
    });
    report.check(`${at}: rows and root`, () => (rows = checkChanges(block, before)));
    const context = { genesis: scenario.genesis, time: block.time, nonces };
    for (const message of block.transactions) {
      report.check(`${at}: ${message.name}`, () => checkApplied(message, { ...context, rows: both(before, rows) }, nonces));
      applied.add(message.hash);
    }
    for (const proposal of block.invalid ?? []) {
      report.check(`${at}: invalid: ${proposal.name}`, () => {
        same(isOrdered(proposal.transactions), proposal.reason !== "order", "order of the proposal");
      });
    }
    for (const message of block.refused ?? []) {
      report.check(`${at}: refused: ${message.name}`, () => checkRefused(message, { ...context, rows }));
    }
    previous = block;
  }
  report.check(`${file}: rows after the last block`, () => {
    same(JSON.stringify(sortedRows(rows)), JSON.stringify(scenario.rows), "rows");
    checkInvariants(scenario.rows);
  });
  report.check(`${file}: every message is refused when it is replayed`, () => {
    same([...applied].sort().join(), scenario.replays.map((replay) => replay.hash).sort().join(), "replays");
  });
}

// both returns the rows that messages of a block may depend on: those before the block and those it wrote.
function both(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...after, ...before]);
}

// checkApplied validates a message of a block and counts the nonce that it consumes.
function checkApplied(message: Applied, context: Context, nonces: Map<string, number>): void {
  const { data, signer } = open(message);
  same(resultText(check(fromHex(message.transaction), context.genesis.network)), "accepted", "result without a state");
  same(refusalText(authorize(data, signer, context)), "none", "refusal by authority");
  const owner = data["owner_address"] as string;
  if (isCustodyType(data["type"] as number)) nonces.set(owner, (nonces.get(owner) ?? 0) + 1);
}

// checkRefused recomputes refusals of verification, validation and authority. A message that the state transition refuses
// must pass all of these.
function checkRefused(message: Refused, context: Context): void {
  const { data, signer } = open(message);
  const { stage, code } = message.verdict;
  const early = stage === "verification" || stage === "validation";
  const result = check(fromHex(message.transaction), context.genesis.network);
  same(resultText(result), early ? resultText(message.verdict) : "accepted", "result without a state");
  if (early) return;
  const expected = authorityCodes.has(code) ? `${stage}, ${code}` : "none";
  same(refusalText(authorize(data, signer, context)), expected, "refusal by authority");
}

function open(message: Applied): { data: Fields; signer: string } {
  const { data, signer } = decode("Message", fromHex(message.transaction)) as { data: Fields; signer: string };
  same(toHex(blake3(encode("MessageData", data))), message.hash, "hash");
  return { data, signer };
}

function refusalText(refusal: Refusal | undefined): string {
  return refusal === undefined ? "none" : `${refusal.stage}, ${refusal.code}`;
}

function checkPosition(block: Block, previous: Block | undefined): void {
  same(block.height, previous ? previous.height + 1 : 1, "height");
  if (previous && block.time < previous.time) throw new Error("time goes backwards");
}

// isOrdered reports whether account messages come first, then project messages by the id of their project (P6.1).
function isOrdered(transactions: string[]): boolean {
  const groups = transactions.map((transaction) => {
    const data = decode("Message", fromHex(transaction))["data"] as Fields;
    const type = data["type"] as MessageType;
    return isProjectType(type) ? ((data[bodyName(type)] as Fields)["project_id"] as string) : "";
  });
  return groups.every((group, i) => i === 0 || (groups[i - 1] ?? "") <= group);
}

// checkChanges applies the changes of a block and compares the root of all rows.
function checkChanges(block: Block, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const rows = new Map(before);
  const keys = block.changes.map((change) => change.key);
  same(keys.join(), [...new Set(keys)].sort().join(), "keys in order");
  for (const { key, value } of block.changes) {
    if (rows.get(key) === value) throw new Error(`row ${key} does not change`);
    if (value === undefined) {
      rows.delete(key);
      continue;
    }
    checkRowValue(key, value);
    rows.set(key, value);
  }
  same(toHex(rootOf(sortedRows(rows))), block.state_root, "state root");
  return rows;
}

function sortedRows(rows: ReadonlyMap<string, string>): Row[] {
  return [...rows].map(([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1));
}
