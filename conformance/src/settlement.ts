// Settlement changes (P11.2): their encoding, the signed bytes, whether they apply, and the resulting row.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as state from "../gen/makechain/state_pb.js";
import { type Bytes, bigEndian, concat, fromHex, toHex, utf8 } from "./bytes.js";
import { type Report, same } from "./report.js";
import { checkRowValue } from "./rows.js";
import { isSmallOrder } from "./signatures.js";
import { chain, envelope, signChange } from "./validators.js";

interface Settlement {
  sequence: string;
  chain_id: string;
  contract: string;
  threshold: number;
  attesters: { public_key: string; url: string }[];
}

export interface SettlementVector {
  name: string;
  chain_id: string;
  before: Settlement;
  change: Settlement;
  validators: { public_key: string; power: string }[];
  secrets: string[];
  digest: string;
  transaction: string;
  applies: boolean;
  row?: string;
}

const kind = 2;
const domain = "makechain/settlement-change/v1\n";
const maxAttesters = 64;
const maxUrl = 256;

export function checkSettlements(report: Report, vectors: SettlementVector[]): void {
  for (const vector of vectors) report.check(`settlement: ${vector.name}`, () => checkSettlementChange(vector));
}

function checkSettlementChange(vector: SettlementVector): void {
  const { change } = vector;
  const signers = signChange(vector, domain, envelope(kind, vector.chain_id, change.sequence, contentOf(change)));
  const powers = new Map(vector.validators.map((entry) => [entry.public_key, BigInt(entry.power)]));
  const total = [...powers.values()].reduce((sum, power) => sum + power, 0n);
  const signed = signers.reduce((sum, key) => sum + (powers.get(key) ?? 0n), 0n);
  const applies = vector.chain_id === chain && BigInt(change.sequence) === BigInt(vector.before.sequence) + 1n && isValid(change) &&
    toHex(contentOf(change)) !== toHex(contentOf(vector.before)) && signers.every((key) => powers.has(key)) && signed * 3n > total * 2n;
  same(applies, vector.applies, "applies");
  same(applies ? toHex(rowOf(change)) : undefined, vector.row, "row");
  if (vector.row === undefined) return;
  checkRowValue("20", vector.row);
  checkSettlementRow("", fromBinary(state.SettlementRowSchema, fromHex(vector.row)));
}

function contentOf(settlement: Settlement): Bytes {
  const { attesters } = settlement;
  return concat(
    bigEndian(BigInt(settlement.chain_id), 8), fromHex(settlement.contract), Uint8Array.of(settlement.threshold, attesters.length),
    ...attesters.flatMap((attester) => [fromHex(attester.public_key), bigEndian(utf8(attester.url).length, 2), utf8(attester.url)]),
  );
}

// isValid checks a settlement of a TESTNET. URLs are only checked for their length: those of the vectors are base URLs.
function isValid(settlement: Settlement): boolean {
  const { attesters, threshold } = settlement;
  if (attesters.length === 0) return threshold === 0;
  const keys = attesters.map((attester) => attester.public_key);
  return attesters.length <= maxAttesters && threshold >= 1 && threshold <= attesters.length && settlement.chain_id !== "0" &&
    !/^0*$/.test(settlement.contract) && new Set(keys).size === keys.length && !keys.some((key) => isSmallOrder(fromHex(key))) &&
    attesters.every((attester) => utf8(attester.url).length <= maxUrl);
}

function rowOf(settlement: Settlement): Bytes {
  const attesters = settlement.attesters.map(({ public_key, url }) => ({ publicKey: fromHex(public_key), url }));
  return toBinary(state.SettlementRowSchema, create(state.SettlementRowSchema, {
    sequence: BigInt(settlement.sequence), chainId: BigInt(settlement.chain_id), contract: fromHex(settlement.contract),
    threshold: settlement.threshold, attesters,
  }));
}

// checkSettlementRow checks the row of the settlement, if a state has one.
export function checkSettlementRow(key: string, row: state.SettlementRow): void {
  same(key, "", "end of the key of the settlement");
  if (row.sequence === 0n || row.contract.length !== 20) throw new Error("settlement row without a change or a contract");
  if (row.threshold > row.attesters.length) throw new Error("threshold of the settlement that cannot be reached");
}
