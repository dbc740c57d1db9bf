// The same encoding by @bufbuild/protobuf from the .proto files, for comparison.

import { create, type DescField, type DescMessage, fromBinary, ScalarType, toBinary } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { type Bytes, fromHex } from "./bytes.js";
import type { Fields, Value } from "./canonical.js";

export function encodeByLibrary(schema: DescMessage, fields: Fields): Bytes {
  return toBinary(schema, build(schema, fields).message);
}

// reencode decodes and encodes again, which does not change canonical bytes.
export function reencode(schema: DescMessage, bytes: Bytes): Bytes {
  return toBinary(schema, fromBinary(schema, bytes), { writeUnknownFields: false });
}

function build(schema: DescMessage, fields: Fields): ReflectMessage {
  const message = reflect(schema, create(schema));
  for (const [name, value] of Object.entries(fields)) {
    const field = schema.fields.find((candidate) => candidate.name === name);
    if (!field) throw new Error(`${schema.name} has no field ${name}`);
    if (field.fieldKind === "list") {
      const list = message.get(field);
      for (const item of value as Value[]) list.add(convert(field, item));
    } else {
      message.set(field, convert(field, value));
    }
  }
  return message;
}

function convert(field: DescField, value: Value): unknown {
  if (field.message) return build(field.message, value as Fields);
  if (field.enum) return value;
  switch (field.scalar) {
    case ScalarType.BYTES:
      return fromHex(value as string);
    case ScalarType.UINT64:
      return BigInt(value as number | string);
    default:
      return value;
  }
}
