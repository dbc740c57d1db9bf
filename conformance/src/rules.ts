// Rules changes (P11.2): their encoding, the signed bytes, whether they apply, and the resulting row.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as state from "../gen/makechain/state_pb.js";
import { type Bytes, bigEndian, concat, fromHex, toHex } from "./bytes.js";
import { type Report, same } from "./report.js";
import { checkRowValue } from "./rows.js";
import { chain, envelope, signChange } from "./validators.js";

interface Activation {
  sequence: string;
  version: string;
  height: string;
}

export interface RulesVector {
  name: string;
  chain_id: string;
  height: string;
  before: Activation & { previous_version: string };
  change: Activation;
  validators: { public_key: string; power: string }[];
  secrets: string[];
  digest: string;
  transaction: string;
  applies: boolean;
  row?: string;
}

const kind = 3;
const domain = "makechain/rules-change/v1\n";
const delay = 10n;
const lastHeight = 2n ** 63n - 1n;

export function checkRules(report: Report, vectors: RulesVector[]): void {
  for (const vector of vectors) report.check(`rules: ${vector.name}`, () => checkRulesChange(vector));
}

function checkRulesChange(vector: RulesVector): void {
  const { before, change } = vector;
  const signers = signChange(vector, domain, envelope(kind, vector.chain_id, change.sequence, contentOf(change)));
  const powers = new Map(vector.validators.map((entry) => [entry.public_key, BigInt(entry.power)]));
  const total = [...powers.values()].reduce((sum, power) => sum + power, 0n);
  const signed = signers.reduce((sum, key) => sum + (powers.get(key) ?? 0n), 0n);
  const block = BigInt(vector.height);
  const inForce = BigInt(block < BigInt(before.height) ? before.previous_version : before.version);
  const isPending = before.version === change.version && before.height === change.height;
  const applies = vector.chain_id === chain && BigInt(change.sequence) === BigInt(before.sequence) + 1n && BigInt(change.version) === inForce + 1n &&
    BigInt(change.height) >= block + delay && BigInt(change.height) <= lastHeight && !isPending && signers.every((key) => powers.has(key)) &&
    signed * 3n > total * 2n;
  same(applies, vector.applies, "applies");
  same(applies ? toHex(rowOf(change, inForce)) : undefined, vector.row, "row");
  if (vector.row === undefined) return;
  checkRowValue("21", vector.row);
  checkRulesRow("", fromBinary(state.RulesRowSchema, fromHex(vector.row)));
}

function contentOf(change: Activation): Bytes {
  return concat(bigEndian(BigInt(change.version), 8), bigEndian(BigInt(change.height), 8));
}

function rowOf(change: Activation, previousVersion: bigint): Bytes {
  return toBinary(state.RulesRowSchema, create(state.RulesRowSchema, {
    sequence: BigInt(change.sequence), version: BigInt(change.version), height: BigInt(change.height), previousVersion,
  }));
}

// checkRulesRow checks the row of the rules, if a state has one.
export function checkRulesRow(key: string, row: state.RulesRow): void {
  same(key, "", "end of the key of the rules");
  if (row.sequence === 0n || row.height <= delay || row.height > lastHeight) throw new Error("rules row without a change or a height");
  same(row.version, row.previousVersion + 1n, "version of the rules after the previous one");
}
