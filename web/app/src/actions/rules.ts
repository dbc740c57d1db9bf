// The rules of names and texts that the chain checks (docs/spec/protocol.md, P5), so that a form can tell before anything is signed.
import { fromHex } from "makechain";

const encoder = new TextEncoder();

/** usernameFault returns why a text is not a username, or "". */
export function usernameFault(name: string): string {
  if (/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/.test(name)) return "";
  return "A username has 3 to 32 lower-case letters, digits and hyphens, and begins and ends with a letter or digit.";
}

/** projectNameFault returns why a text is not the name of a project, or "". */
export function projectNameFault(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && !name.includes("..") && !name.endsWith(".") && !name.endsWith(".git")) return "";
  return "A name has 1 to 100 letters, digits, dots, hyphens and underscores, begins with a letter or digit, and does not end with a dot or .git.";
}

/** lengthFault returns that a text is longer than a number of bytes, or "". */
export function lengthFault(text: string, bytes: number): string {
  return encoder.encode(text).length <= bytes ? "" : `At most ${bytes} bytes.`;
}

/** The limits of texts in bytes. */
export const limits = { description: 500, license: 100, displayName: 32, profile: 500, requestTitle: 200, content: 2048 } as const;

/** parseHex returns the bytes of hex digits, with or without 0x, or none for other text. */
export function parseHex(text: string): Uint8Array {
  return /^(0x)?([0-9a-f]{2})*$/i.test(text) ? fromHex(text) : new Uint8Array(0);
}
