// The state tree (T1): a crit-bit tree built from scratch over the sorted rows.

import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, compareBytes, concat, fromHex, toHex, varint } from "./bytes.js";
import { type Report, same } from "./report.js";

export interface Row {
  key: string;
  value: string;
}

export interface RowSet {
  name: string;
  rows: Row[];
  root: string;
}

type Entry = readonly [key: Bytes, value: Bytes];

export function rootOf(rows: Iterable<Row>): Bytes {
  const entries = [...rows].map((row): Entry => [fromHex(row.key), fromHex(row.value)]);
  entries.sort((a, b) => compareBytes(a[0], b[0]));
  entries.forEach(([key], i) => {
    const previous = entries[i - 1];
    if (previous && compareBytes(previous[0], key) === 0) throw new Error(`key twice: ${toHex(key)}`);
  });
  return entries.length === 0 ? sha256(new Uint8Array()) : subtree(entries, 0);
}

function subtree(entries: readonly Entry[], from: number): Bytes {
  const first = entries[0] as Entry;
  const last = entries[entries.length - 1] as Entry;
  if (entries.length === 1) return leaf(first);
  // The entries are sorted, so the first bit in which any two differ is one in which the first and the last differ.
  let branch = from;
  while (bitAt(first[0], branch) === bitAt(last[0], branch)) branch++;
  const split = entries.findIndex(([key]) => bitAt(key, branch) === 1);
  const left = subtree(entries.slice(0, split), branch + 1);
  const right = subtree(entries.slice(split), branch + 1);
  return sha256(concat(Uint8Array.of(1), left, right));
}

function leaf([key, value]: Entry): Bytes {
  return sha256(concat(Uint8Array.of(0), varint(key.length), key, varint(32), sha256(value)));
}

// bitAt returns a bit of a key: nine bits for each byte, a one and the byte itself; a zero follows the last byte.
function bitAt(key: Bytes, index: number): number {
  const byte = key[Math.floor(index / 9)];
  if (byte === undefined) return 0;
  const position = index % 9;
  return position === 0 ? 1 : (byte >> (8 - position)) & 1;
}

export function checkTrees(report: Report, title: string, sets: RowSet[]): void {
  for (const set of sets) {
    report.check(`${title}: ${set.name}`, () => {
      same(toHex(rootOf(set.rows)), set.root, "root");
      same(toHex(rootOf([...set.rows].reverse())), set.root, "root of the rows in another order");
    });
  }
}
