// Trees of git, and the names in them, which are bytes.
import { type GitObject, MalformedError } from "./object.js";

/** Kind is what an entry of a tree is: "commit" is a submodule. */
export type Kind = "commit" | "executable" | "file" | "link" | "tree";

export interface Entry {
  readonly kind: Kind;
  /** The mode as git writes it, with six digits. */
  readonly mode: string;
  /** The name as text, see nameText. */
  readonly name: string;
  readonly id: string;
}

const kinds = new Map<number, Kind>([
  [0o40000, "tree"],
  [0o100644, "file"],
  [0o100664, "file"], // written by early versions of git
  [0o100755, "executable"],
  [0o120000, "link"],
  [0o160000, "commit"],
]);

/** parseTree parses the content of a tree: modes, names without "/", in the order of git and each once. */
export function parseTree({ id, type, content }: GitObject): Entry[] {
  if (type !== "tree") throw new MalformedError(`${id} is a ${type}, not a tree`);
  const malformed = (what: string) => new MalformedError(`tree ${id} ${what}`);
  const width = id.length / 2;
  const ascii = new TextDecoder("latin1");
  const entries: Entry[] = [];
  let before: { name: Uint8Array; kind: Kind } | undefined;
  for (let offset = 0; offset < content.length; ) {
    const space = content.subarray(offset, offset + 7).indexOf(32);
    const digits = ascii.decode(content.subarray(offset, offset + Math.max(space, 0)));
    const kind = /^[0-7]{5,6}$/.test(digits) ? kinds.get(parseInt(digits, 8)) : undefined;
    if (kind === undefined) throw malformed("has an entry with an unknown mode");
    const start = offset + space + 1;
    const end = content.indexOf(0, start);
    if (end < 0 || end + 1 + width > content.length) throw malformed("ends within an entry");
    const name = content.subarray(start, end);
    const text = nameText(name);
    if (text === "" || text === "." || text === ".." || name.includes(47)) throw malformed(`has an entry with the name "${text}"`);
    if (before !== undefined && compareEntries(before.name, before.kind, name, kind) >= 0) throw malformed("is not sorted");
    before = { name, kind };
    offset = end + 1 + width;
    const hash = Array.from(content.subarray(end + 1, offset), (byte) => byte.toString(16).padStart(2, "0")).join("");
    entries.push({ kind, mode: digits.padStart(6, "0"), name: text, id: hash });
  }
  if (new Set(entries.map(({ name }) => name)).size !== entries.length) throw malformed("has two entries with the same name");
  return entries;
}

/** compareEntries compares names of a tree as git sorts them: as bytes, and the name of a tree as if it ended in "/". */
export function compareEntries(a: Uint8Array, kindA: Kind, b: Uint8Array, kindB: Kind): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  const after = (name: Uint8Array, kind: Kind) => name[shared] ?? (kind === "tree" ? 47 : 0);
  return after(a, kindA) - after(b, kindB);
}

// Bytes of a name that are not UTF-8 are the characters from here on, in the last private use area. So every name is a valid string, which
// can be part of a URL, and different names are different strings.
const escaped = 0x10ff00;

/** nameText returns a name as text. Bytes that are not valid UTF-8 become the characters U+10FF00 to U+10FFFF. */
export function nameText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!/[\u{10ff00}-\u{10ffff}]/u.test(text)) return text;
  } catch {
    // not UTF-8
  }
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : String.fromCodePoint(escaped + byte))).join("");
}

/** nameBytes is the inverse of nameText. */
export function nameBytes(text: string): Uint8Array {
  if (!/[\u{10ff00}-\u{10ffff}]/u.test(text)) return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => (character.codePointAt(0) ?? 0) & 0xff);
}
