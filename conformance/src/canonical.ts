// The canonical encoding (P2.2): proto3 with fields in ascending number, defaults omitted, the chosen oneof member always
// present, shortest varints, no unknown fields. It uses the wire tables only.

import { type Bytes, concat, equalBytes, fromHex, toHex, utf8, varint } from "./bytes.js";
import { type Field, fieldsOf, isMessage } from "./wire.js";

// Values in the notation of the vectors: bytes are hex, integers are numbers, or decimal text beyond 2^53.
export type Value = string | number | boolean | Fields | Value[];
export interface Fields {
  [name: string]: Value;
}

export function encode(message: string, fields: Fields): Bytes {
  const table = fieldsOf(message);
  const unknown = Object.keys(fields).filter((name) => !table.some((field) => field.name === name));
  if (unknown.length > 0) throw new Error(`${message} has no field ${unknown.join(", ")}`);
  const parts: Bytes[] = [];
  for (const field of table) {
    const value = fields[field.name];
    if (value === undefined) continue;
    const values = field.repeated ? (value as Value[]) : [value];
    for (const single of values) parts.push(encodeField(field, single));
  }
  return concat(...parts);
}

function encodeField(field: Field, value: Value): Bytes {
  const always = field.presence || field.repeated;
  if (field.type === "bytes" || field.type === "string" || isMessage(field.type)) {
    const content = lengthDelimited(field.type, value);
    if (content.length === 0 && !always) return new Uint8Array();
    return concat(varint((field.number << 3) | 2), varint(content.length), content);
  }
  const number = BigInt.asUintN(64, BigInt(value as number | string | boolean));
  if (number === 0n && !always) return new Uint8Array();
  return concat(varint(field.number << 3), varint(number));
}

function lengthDelimited(type: string, value: Value): Bytes {
  if (type === "bytes") return fromHex(value as string);
  if (type === "string") return utf8(value as string);
  return encode(type, value as Fields);
}

// decode decodes canonical bytes and refuses all others.
export function decode(message: string, bytes: Bytes): Fields {
  const fields = decodeFields(message, bytes);
  if (!equalBytes(encode(message, fields), bytes)) throw new Error(`${message} is not canonical`);
  return fields;
}

function decodeFields(message: string, bytes: Bytes): Fields {
  const table = fieldsOf(message);
  const fields: Fields = {};
  const chosen = new Map<string, string>();
  for (const raw of rawFields(bytes)) {
    const field = table.find((candidate) => candidate.number === raw.number);
    if (!field) throw new Error(`${message}: unknown field ${raw.number}`);
    const value = decodeValue(field, raw.value);
    if (field.repeated) ((fields[field.name] ??= []) as Value[]).push(value);
    else fields[field.name] = value;
    if (field.oneof && (chosen.get(field.oneof) ?? field.name) !== field.name) {
      throw new Error(`${message}: two members of ${field.oneof}`);
    }
    if (field.oneof) chosen.set(field.oneof, field.name);
  }
  return fields;
}

function decodeValue(field: Field, value: bigint | Bytes): Value {
  const delimited = field.type === "bytes" || field.type === "string" || isMessage(field.type);
  if (delimited !== (typeof value !== "bigint")) throw new Error(`${field.name}: wrong wire type`);
  if (typeof value !== "bigint") return decodeDelimited(field.type, value);
  if (field.type === "bool") return value !== 0n;
  if (field.type === "enum") return Number(BigInt.asIntN(32, value));
  if (field.type === "uint32") return Number(BigInt.asUintN(32, value));
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
}

function decodeDelimited(type: string, content: Bytes): Value {
  if (type === "bytes") return toHex(content);
  if (type === "string") return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  return decodeFields(type, content);
}

export interface RawField {
  number: number;
  value: bigint | Bytes;
}

// rawFields splits encoded fields without a schema. It supports the two wire types in use.
export function rawFields(bytes: Bytes): RawField[] {
  const fields: RawField[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const tag = readVarint(bytes, offset);
    const first = readVarint(bytes, tag.end);
    const number = Number(tag.value >> 3n);
    offset = first.end;
    if ((tag.value & 7n) === 0n) {
      fields.push({ number, value: first.value });
      continue;
    }
    if ((tag.value & 7n) !== 2n) throw new Error(`field ${number} has wire type ${tag.value & 7n}`);
    const length = Number(first.value);
    if (length > bytes.length - offset) throw new Error(`field ${number} is truncated`);
    fields.push({ number, value: bytes.subarray(offset, offset + length) });
    offset += length;
  }
  return fields;
}

function readVarint(bytes: Bytes, start: number): { value: bigint; end: number } {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) throw new Error("truncated varint");
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: start + i + 1 };
  }
  throw new Error("varint of more than ten bytes");
}
