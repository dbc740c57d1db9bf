// Texts for values: numbers, times, sizes, names.
import { fromHex, hex } from "makechain";

export { hex };

/** parseHex parses hex digits without 0x. It returns undefined for other text. */
export function parseHex(text: string): Uint8Array | undefined {
  return text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text) ? fromHex(text) : undefined;
}

/** address returns the text of an account's address. */
export const address = (bytes: Uint8Array): string => "0x" + hex(bytes);

/** gitId returns the id of a git object as git prints it: a hash on the chain is 32 bytes, of which a SHA-1 id is the first 20. */
export function gitId(hash: Uint8Array): string {
  const text = hex(hash);
  return text.length === 64 && text.endsWith("0".repeat(24)) ? text.slice(0, 40) : text;
}

/** shorten keeps the first characters of an id. */
export const shorten = (id: string, length = 8): string => (id.startsWith("0x") ? id.slice(0, length + 2) : id.slice(0, length));

const grouped = new Intl.NumberFormat("en");

/** count formats a number with separators. */
export const count = (value: number | bigint): string => grouped.format(value);

/** plural returns "1 block" or "2 blocks". */
export const plural = (value: number | bigint, one: string, many = one + "s"): string => `${count(value)} ${value === 1 || value === 1n ? one : many}`;

/** size formats a number of bytes. */
export function size(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  for (const [unit, scale] of [["kB", 1e3], ["MB", 1e6], ["GB", 1e9]] as const) {
    if (bytes < 999.5 * scale) return `${Number((bytes / scale).toPrecision(3))} ${unit}`;
  }
  return `${count(Math.round(bytes / 1e9))} GB`;
}

const spans = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60]] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** ago formats a time relative to now, in seconds since 1970: "3 min. ago", "in 2 mo.". */
export function ago(time: number, now: number): string {
  const distance = time - now;
  for (const [unit, seconds] of spans) {
    if (Math.abs(distance) >= seconds) return relative.format(Math.trunc(distance / seconds), unit);
  }
  return Math.abs(distance) < 5 ? "now" : relative.format(Math.trunc(distance), "second");
}

/** duration formats a number of seconds: "3 d 4 h". */
export function duration(seconds: number): string {
  const parts: string[] = [];
  for (const [unit, length] of [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]] as const) {
    const amount = Math.floor(seconds / length);
    seconds -= amount * length;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}

/** visible makes characters visible that change how a text reads: controls, bidirectional controls, and others without a width. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu, (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** words turns the name of an enum value into text: "COMMIT_BUNDLE" is "commit bundle". */
export const words = (name: string): string => name.toLowerCase().replaceAll("_", " ");
