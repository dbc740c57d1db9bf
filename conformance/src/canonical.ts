// The canonical encoding (P2.2): proto3 with fields in ascending number, defaults left out, the chosen
// oneof member always present, shortest varints, no unknown fields. Driven by the wire tables alone.

import { type Bytes, concat, equalBytes, fromHex, toHex, utf8, varint } from "./bytes.js";
import { type Field, fieldsOf, isMessage } from "./wire.js";

// Values as the vectors write them: bytes are hex, integers are numbers, or decimal text beyond 2^53.
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

// decode reads canonical bytes and refuses all others.
export function decode(message: string, bytes: Bytes): Fields {
  const fields = decodeFields(message, bytes);
  if (!equalBytes(encode(message, fields), bytes)) throw new Error(`${message} is not canonical`);
  return fields;
}

function decodeFields(message: string, bytes: Bytes): Fields {
  const table = fieldsOf(message);
  const fields: Fields = {};
  const chosen = new Map<string, string>();
  const reader = new Reader(bytes);
  while (!reader.atEnd()) {
    const tag = reader.varint();
    const field = table.find((candidate) => BigInt(candidate.number) === tag >> 3n);
    if (!field) throw new Error(`${message}: unknown field ${tag >> 3n}`);
    const value = decodeValue(field, Number(tag & 7n), reader);
    if (field.repeated) ((fields[field.name] ??= []) as Value[]).push(value);
    else fields[field.name] = value;
    if (field.oneof && (chosen.get(field.oneof) ?? field.name) !== field.name) {
      throw new Error(`${message}: two members of ${field.oneof}`);
    }
    if (field.oneof) chosen.set(field.oneof, field.name);
  }
  return fields;
}

function decodeValue(field: Field, wireType: number, reader: Reader): Value {
  const delimited = field.type === "bytes" || field.type === "string" || isMessage(field.type);
  if (wireType !== (delimited ? 2 : 0)) throw new Error(`${field.name}: wire type ${wireType}`);
  if (delimited) return decodeDelimited(field.type, reader.delimited());
  const number = reader.varint();
  if (field.type === "bool") return number !== 0n;
  if (field.type === "enum") return Number(BigInt.asIntN(32, number));
  if (field.type === "uint32") return Number(BigInt.asUintN(32, number));
  return number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number.toString();
}

function decodeDelimited(type: string, content: Bytes): Value {
  if (type === "bytes") return toHex(content);
  if (type === "string") return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  return decodeFields(type, content);
}

class Reader {
  private offset = 0;
  constructor(private readonly bytes: Bytes) {}

  atEnd(): boolean {
    return this.offset >= this.bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.offset++];
      if (byte === undefined) throw new Error("truncated varint");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error("varint of more than ten bytes");
  }

  delimited(): Bytes {
    const length = Number(this.varint());
    const content = this.bytes.subarray(this.offset, this.offset + length);
    if (content.length !== length) throw new Error("truncated field");
    this.offset += length;
    return content;
  }
}
