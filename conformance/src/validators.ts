// Validator changes (P11.2): their encoding, the signed bytes, whether they apply, and the resulting row.

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import * as state from "../gen/makechain/state_pb.js";
import { type Bytes, bigEndian, compareBytes, concat, fromHex, toHex, utf8 } from "./bytes.js";
import { type Report, same } from "./report.js";
import { checkRowValue } from "./rows.js";
import { isSmallOrder } from "./signatures.js";

interface PowerList {
  sequence: string;
  validators: { public_key: string; power: string }[];
}

export interface ChangeVector {
  name: string;
  chain_id: string;
  before: PowerList;
  change: PowerList;
  secrets: string[];
  digest: string;
  transaction: string;
  applies: boolean;
  row?: string;
}

export const chain = "vectors-1";

type Powers = Map<string, bigint>;

export function checkChanges(report: Report, vectors: ChangeVector[]): void {
  for (const vector of vectors) report.check(`validators: ${vector.name}`, () => checkChange(vector));
}

// envelope returns the signed bytes of a change of any kind.
export function envelope(kind: number, chainId: string, sequence: string, content: Bytes): Bytes {
  const id = utf8(chainId);
  return concat(Uint8Array.of(0, kind, id.length), id, bigEndian(BigInt(sequence), 8), content);
}

// signChange checks the digest and the transaction of a change and returns the keys of its signers.
export function signChange(vector: { secrets: string[]; digest: string; transaction: string }, domain: string, content: Bytes): string[] {
  const digest = sha256(concat(utf8(domain), content));
  same(toHex(digest), vector.digest, "digest");
  const signed = vector.secrets.map((secret): [Bytes, Bytes] => {
    const key = ed25519.getPublicKey(fromHex(secret));
    return [key, ed25519.sign(digest, fromHex(secret))];
  });
  signed.sort((a, b) => compareBytes(a[0], b[0]));
  const transaction = concat(content, bigEndian(signed.length, 2), ...signed.flat());
  same(toHex(transaction), vector.transaction, "transaction");
  return signed.map(([key]) => toHex(key));
}

function checkChange(vector: ChangeVector): void {
  const next = apply(vector, signChange(vector, "makechain/validator-change/v1\n", contentOf(vector)));
  same(next !== undefined, vector.applies, "applies");
  same(next && toHex(next), vector.row, "row");
  if (vector.row === undefined) return;
  checkRowValue("1d", vector.row);
  checkValidators("", fromBinary(state.ValidatorsRowSchema, fromHex(vector.row)));
}

function contentOf(vector: ChangeVector): Bytes {
  const { sequence, validators } = vector.change;
  const entries = validators.map((entry): [Bytes, bigint] => [fromHex(entry.public_key), BigInt(entry.power)]);
  requireOrder(entries.map(([key]) => key));
  const content = concat(bigEndian(entries.length, 2), ...entries.flatMap(([key, power]) => [key, bigEndian(power, 8)]));
  return envelope(1, vector.chain_id, sequence, content);
}

// apply returns the row after a change, or undefined if the change does not apply.
function apply(vector: ChangeVector, signers: string[]): Bytes | undefined {
  const before = powersOf(vector.before);
  const total = sum(before.values());
  const next: Powers = new Map(before);
  let moved = 0n;
  for (const [key, power] of powersOf(vector.change)) {
    if (isSmallOrder(fromHex(key))) return undefined;
    const old = before.get(key) ?? 0n;
    if (old === power) return undefined;
    moved += old > power ? old - power : power - old;
    if (power === 0n) next.delete(key);
    else next.set(key, power);
  }
  const isNext = BigInt(vector.change.sequence) === BigInt(vector.before.sequence) + 1n;
  const known = signers.every((key) => before.has(key));
  const agreed = sum(signers.map((key) => before.get(key) ?? 0n));
  if (vector.chain_id !== chain || !isNext || !known || agreed * 3n <= total * 2n || moved * 3n > total) return undefined;
  return rowOf(BigInt(vector.change.sequence), next);
}

function rowOf(sequence: bigint, powers: Powers): Bytes {
  const keys = [...powers.keys()].sort();
  const validators = keys.map((key) => ({ publicKey: fromHex(key), power: powers.get(key) ?? 0n }));
  return toBinary(state.ValidatorsRowSchema, create(state.ValidatorsRowSchema, { sequence, validators }));
}

function powersOf(list: PowerList): Powers {
  return new Map(list.validators.map((entry) => [entry.public_key, BigInt(entry.power)]));
}

function sum(powers: Iterable<bigint>): bigint {
  return [...powers].reduce((total, power) => total + power, 0n);
}

// checkValidators checks the row of the validators, if a state has one.
export function checkValidators(key: string, row: state.ValidatorsRow): void {
  same(key, "", "end of the key of the validators");
  if (row.sequence === 0n || row.validators.length === 0) throw new Error("validators row without a change");
  requireOrder(row.validators.map((entry) => entry.publicKey));
  for (const entry of row.validators) {
    if (entry.publicKey.length !== 32 || entry.power === 0n) throw new Error("validator without a valid key and power");
  }
}

function requireOrder(keys: Bytes[]): void {
  keys.slice(1).forEach((key, i) => {
    const previous = keys[i] as Bytes;
    if (compareBytes(previous, key) >= 0) throw new Error("validators out of order or duplicated");
  });
}
