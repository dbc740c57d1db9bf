// Reading of testdata/vectors: JSON with the field names of the protocol, and bytes in hex.
import { fromHex } from "../src/bytes.js";
import type { FieldDesc, Init, MessageDesc } from "../src/protobuf.js";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** init returns the fields of a message of a vector, for create. */
export function init<T>(desc: MessageDesc<T>, vector: unknown): Init<T> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(vector as Record<string, Json>)) {
    const field = desc.fields.find((field) => field.name === name);
    if (field === undefined) throw new Error(`${desc.typeName} has no field ${name}`);
    const converted = field.repeated ? (value as Json[]).map((item) => convert(field, item)) : convert(field, value);
    if (field.oneof === undefined) fields[field.localName] = converted;
    else fields[field.oneof.localName] = { case: field.localName, value: converted };
  }
  return fields as Init<T>;
}

function convert(field: FieldDesc, value: Json): unknown {
  if (field.message !== undefined) return init(field.message, value);
  if (field.kind === "y") return fromHex(value as string);
  return field.kind === "U" ? BigInt(value as number | string) : value;
}
