// The rows of the state: the key of every family (docs/spec/protocol.md P7) and the message of its value.
import * as state from "../gen/schema.js";
import { bigEndian, concat, utf8 } from "./bytes.js";
import { decode, type MessageDesc } from "./protobuf.js";
import { failed } from "./steps.js";

/** Part is a part of a key. */
export interface Part<N extends string = string, V = unknown> {
  readonly name: N;
  /** Its size in bytes; 0 for the remainder of the key. */
  readonly size: number;
  encode(value: V): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

type Input<P> = P extends Part<string, infer V> ? V : never;
type Output<P> = P extends { decode(bytes: Uint8Array): infer V } ? V : never;

/** KeyOf are the arguments that identify a row: the parts of its key. */
export type KeyOf<P extends readonly Part[]> = { [I in keyof P]: Input<P[I]> };

/** RowType is a family of rows. */
export interface RowType<T = unknown, P extends readonly Part[] = readonly Part[]> {
  readonly name: string;
  /** The first bytes of the keys. */
  readonly prefix: Uint8Array;
  readonly parts: P;
  /** A byte after this many parts, of families that share a prefix. */
  readonly tag: { readonly after: number; readonly value: number } | undefined;
  decode(value: Uint8Array): T;
}

/** Entry is a row: its key, the parts of its key by name, and its value. */
export type Entry<T, P extends readonly Part[]> = { readonly key: Uint8Array; readonly value: T } & {
  readonly [E in P[number] as E["name"]]: Output<E>;
};

const replacing = new TextDecoder("utf-8", { ignoreBOM: true });

const bytes = <N extends string>(name: N, size: number) => ({
  name,
  size,
  encode: (value: Uint8Array) => value,
  decode: (value: Uint8Array) => value,
});
const owner = <N extends string>(name: N) => bytes(name, 20);
const id = <N extends string>(name: N) => bytes(name, 32);
const number = <N extends string>(name: N, size: number) => ({
  name,
  size,
  encode: (value: number) => bigEndian(BigInt(value), size),
  decode: (value: Uint8Array) => value.reduce((sum, byte) => sum * 256 + byte, 0),
});
/** text is a name. A ref name need not be UTF-8: it is encoded from bytes too, and decoded for display. */
const text = <N extends string>(name: N) => ({
  name,
  size: 0,
  encode: (value: string | Uint8Array) => (typeof value === "string" ? utf8(value) : value),
  decode: (value: Uint8Array) => replacing.decode(value),
});

function define<T, const P extends readonly Part[]>(
  name: string,
  prefix: number,
  value: MessageDesc<T>,
  parts: P,
  tag?: { after: number; value: number },
): RowType<T, P> {
  return { name, prefix: Uint8Array.of(prefix), parts, tag, decode: (encoded) => decode(value, encoded) };
}

const follow = 1;
const star = 2;

/** rows are the families of rows. */
export const rows = {
  account: define("account", 0x04, state.AccountRowSchema, [owner("owner")]),
  accountMetadata: define("account metadata", 0x05, state.AccountMetadataRowSchema, [owner("owner"), number("field", 1)]),
  key: define("key", 0x06, state.DelegatedKeyRowSchema, [owner("owner"), id("publicKey")], { after: 1, value: 0 }),
  custodyKey: define("custody key", 0x06, state.CustodyKeyRowSchema, [owner("owner"), owner("keyId")], { after: 1, value: 1 }),
  keyOwner: define("key owner", 0x07, state.KeyOwnerRowSchema, [id("publicKey")]),
  username: define("username", 0x08, state.UsernameRowSchema, [text("username")]),
  verification: define("verification", 0x09, state.VerificationRowSchema, [owner("owner"), bytes("address", 0)]),
  project: define("project", 0x0a, state.ProjectRowSchema, [id("project")]),
  projectMetadata: define("project metadata", 0x0b, state.ProjectMetadataRowSchema, [id("project"), number("field", 1)]),
  projectName: define("project name", 0x0c, state.ProjectNameRowSchema, [owner("owner"), text("name")]),
  ref: define("ref", 0x0d, state.RefRowSchema, [id("project"), text("name")]),
  commit: define("commit", 0x0e, state.CommitRowSchema, [id("project"), id("commit")]),
  collaborator: define("collaborator", 0x0f, state.CollaboratorRowSchema, [id("project"), owner("owner")]),
  follow: define("follow", 0x10, state.LinkRowSchema, [owner("owner"), owner("target")], { after: 1, value: follow }),
  star: define("star", 0x10, state.LinkRowSchema, [owner("owner"), id("project")], { after: 1, value: star }),
  follower: define("follower", 0x11, state.LinkRowSchema, [owner("target"), owner("owner")], { after: 0, value: follow }),
  stargazer: define("stargazer", 0x11, state.LinkRowSchema, [id("project"), owner("owner")], { after: 0, value: star }),
  reaction: define("reaction", 0x12, state.ReactionRowSchema, [owner("owner"), number("type", 1), id("project"), id("commit")]),
  reactionByTarget: define("reaction by target", 0x13, state.ReactionRowSchema, [number("type", 1), id("project"), id("commit"), owner("owner")]),
  counter: define("counter", 0x14, state.CounterRowSchema, [owner("owner"), number("kind", 1)]),
  storageGrant: define("storage grant", 0x16, state.StorageGrantRowSchema, [owner("owner"), number("expiresAt", 4), id("claim")]),
  claim: define("claim", 0x17, state.ClaimRowSchema, [id("claim")]),
  forkParent: define("fork parent", 0x1a, state.ForkParentRowSchema, [id("project")]),
  mergeRequest: define("merge request", 0x1b, state.MergeRequestRowSchema, [id("project"), id("request")]),
  mergeRequestByRequester: define("merge request by requester", 0x1c, state.MergeRequestByRequesterRowSchema, [owner("owner"), id("project"), id("request")]),
  validators: define("validators", 0x1d, state.ValidatorsRowSchema, []),
  closedMergeRequest: define("closed merge request", 0x1e, state.ClosedMergeRequestRowSchema, [id("project"), id("request")]),
  content: define("content", 0x1f, state.ContentRowSchema, [id("project"), id("digest")]),
} as const;

/** tombstone returns the family of the tombstones of a family: a row whose member was removed has one. */
export function tombstone<T, P extends readonly Part[]>(of: RowType<T, P>): RowType<state.TombstoneRow, P> {
  return { ...of, name: `tombstone of a ${of.name}`, prefix: concat(Uint8Array.of(0x03), of.prefix), decode: (value) => decode(state.TombstoneRowSchema, value) };
}

/** pruneMarker returns the family of the prune markers of a family: a row that was pruned to keep a quota has one. */
export function pruneMarker<T, P extends readonly Part[]>(of: RowType<T, P>): RowType<state.PruneMarkerRow, P> {
  return { ...of, name: `prune marker of a ${of.name}`, prefix: concat(Uint8Array.of(0x15), of.prefix), decode: (value) => decode(state.PruneMarkerRowSchema, value) };
}

/** rowKey returns the key of a row, or with fewer parts the prefix of the keys that start with them. */
export function rowKey<T, P extends readonly Part[]>(row: RowType<T, P>, ...key: Partial<KeyOf<P>>): Uint8Array {
  const values: readonly unknown[] = key;
  const encoded = [row.prefix];
  for (const [i, part] of row.parts.entries()) {
    if (row.tag?.after === i) encoded.push(Uint8Array.of(row.tag.value));
    if (i >= values.length) break;
    const bytes = part.encode(values[i]);
    if (part.size === 0 ? bytes.length === 0 : bytes.length !== part.size) throw new TypeError(`${part.name} of a ${row.name} has ${bytes.length} bytes`);
    encoded.push(bytes);
  }
  return concat(...encoded);
}

/** readEntry decodes a row that has the prefix of its family. A key or value that is not of the family fails the step "value". */
export function readEntry<T, P extends readonly Part[]>(row: RowType<T, P>, key: Uint8Array, value: Uint8Array): Entry<T, P> {
  const parts: Record<string, unknown> = {};
  let at = row.prefix.length;
  for (const [i, part] of row.parts.entries()) {
    if (row.tag?.after === i) at++;
    const end = part.size === 0 ? key.length : at + part.size;
    if (end > key.length) throw failed("key", `key of a ${row.name} has ${key.length} bytes`);
    parts[part.name] = part.decode(key.subarray(at, end));
    at = end;
  }
  if (at !== key.length) throw failed("key", `key of a ${row.name} has ${key.length} bytes`);
  return { ...parts, key, value: decodeValue(row, value) } as Entry<T, P>;
}

/** decodeValue decodes the value of a row. */
export function decodeValue<T, P extends readonly Part[]>(row: RowType<T, P>, value: Uint8Array): T {
  try {
    return row.decode(value);
  } catch (error) {
    throw failed("value", `row of a ${row.name} cannot be decoded: ${String(error)}`);
  }
}
