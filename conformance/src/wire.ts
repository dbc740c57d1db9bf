// The wire tables of docs/spec/wire.md: names, numbers and types of every message. The canonical encoding uses the
// specification itself instead of generated code; schema.ts compares the two.

import { readFileSync } from "node:fs";

export interface Field {
  number: number;
  name: string;
  type: string;
  repeated: boolean;
  // A field with presence is encoded whenever it is set, even if it has its default value.
  presence: boolean;
  oneof: string | undefined;
}

const scalars = new Set(["bytes", "string", "bool", "uint32", "uint64"]);

interface Tables {
  messages: ReadonlyMap<string, readonly Field[]>;
  enums: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

const tables = readTables(readFileSync(new URL("../../../docs/spec/wire.md", import.meta.url), "utf8"));

// readTables parses the rows `| name | fields |` and the rows `| message | oneof | first-last |`.
function readTables(page: string): Tables {
  const oneofs = [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \| (\d+)-(\d+) \|$/gm)];
  const rows = [...page.matchAll(/^\| `(\w+)`( \(enum\))? \| (`\d.*`|\(no fields\)) \|$/gm)];
  const cells = (fields = "") => (fields.startsWith("(") ? [] : fields.split(" · ").map((cell) => cell.slice(1, -1)));
  const enumRows = rows.filter(([, , isEnum]) => isEnum !== undefined);
  const enums = new Map(enumRows.map(([, name = "", , values]) => [name, new Map(cells(values).map(readValue))]));
  const messageRows = rows.filter(([, , isEnum]) => isEnum === undefined);
  const messages = new Map(
    messageRows.map(([, message = "", , fields]) => {
      const members = oneofs.filter((row) => row[1] === message);
      return [message, cells(fields).map((cell) => readField(cell, members, enums))] as const;
    }),
  );
  return { messages, enums };
}

function readValue(text: string): [number, string] {
  const [number, name = ""] = text.split(" ");
  return [Number(number), name];
}

function readField(text: string, oneofs: RegExpMatchArray[], enums: Tables["enums"]): Field {
  const match = /^(\d+) (\w+):(\w+)(\[\])?(\?)?$/.exec(text);
  if (!match) throw new Error(`wire table: ${text}`);
  const [, digits, name = "", type = "", repeated, optional] = match;
  const number = Number(digits);
  const oneof = oneofs.find(([, , , first, last]) => number >= Number(first) && number <= Number(last))?.[2];
  const isMessage = !scalars.has(type) && !enums.has(type);
  const presence = optional !== undefined || oneof !== undefined || isMessage;
  return { number, name, type: enums.has(type) ? "enum" : type, repeated: repeated !== undefined, presence, oneof };
}

export function fieldsOf(message: string): readonly Field[] {
  const fields = tables.messages.get(message);
  if (!fields) throw new Error(`no message ${message} in the wire tables`);
  return fields;
}

export function isMessage(type: string): boolean {
  return tables.messages.has(type);
}

// nameOf returns the name of an enum value, undefined if the enum has no such value.
export function nameOf(enumeration: string, value: number): string | undefined {
  return tables.enums.get(enumeration)?.get(value);
}

// isText reports whether a field of a message body is text. No field name is text in one body and bytes in another.
export function isText(field: string): boolean {
  return bodyTexts.has(field);
}

const bodyTexts: ReadonlySet<string> = new Set(
  [...tables.messages]
    .filter(([message]) => /Body$|^CommitMeta$/.test(message))
    .flatMap(([, fields]) => fields.filter((field) => field.type === "string").map((field) => field.name)),
);
