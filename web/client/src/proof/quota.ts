// Proofs of an account's storage: all grants that are active at a time, its account row and its username.
import { AccountRowSchema, type GetStorageQuotaProofResponse, StorageGrantRowSchema, UsernameRowSchema } from "../../gen/schema.js";
import { bigEndian, bytesEqual, concat, hex, utf8 } from "../bytes.js";
import { decode } from "../protobuf.js";
import { failed, within } from "../steps.js";
import { maxGrants } from "./bounds.js";
import { verifyPresence, verifyRun } from "./existence.js";
import { checkRoot, type Interval, readRun } from "./range.js";

/** Quota is how much storage an account has, and the limits that follow from it. */
export interface Quota {
  readonly storageUnits: number;
  /** Without a username no unit is usable. */
  readonly usableStorageUnits: number;
  readonly maxProjects: number;
  readonly maxLinks: number;
  readonly maxVerifications: number;
  readonly maxReactions: number;
  readonly maxCollaboratorsPerProject: number;
  readonly maxMergeRequestsPerProject: number;
  readonly maxMergeRequestsPerRequester: number;
}

const maxUint32 = 0xffffffff;

function quotaOf(units: number, hasUsername: boolean): Quota {
  const usable = hasUsername ? units : 0;
  const times = (perUnit: number) => Math.min(usable * perUnit, maxUint32);
  return {
    storageUnits: units,
    usableStorageUnits: usable,
    maxProjects: times(10),
    maxLinks: times(5_000),
    maxVerifications: times(50),
    maxReactions: times(10_000),
    maxCollaboratorsPerProject: times(50),
    maxMergeRequestsPerProject: times(20),
    maxMergeRequestsPerRequester: times(20),
  };
}

/** verifyQuota verifies that a response has all grants of an account that are active at a time, and returns the quota that follows. */
export function verifyQuota(root: Uint8Array, owner: Uint8Array, asOf: number, answer: GetStorageQuotaProofResponse): Quota {
  checkRoot(root, answer.root);
  if (!bytesEqual(answer.ownerAddress, owner) || answer.asOfUnixTime !== asOf) throw failed("key", `response is not for 0x${hex(owner)} at ${asOf}`);
  const units = within("grants", () => verifyGrants(root, activeGrants(owner, asOf), answer));
  const username = within("account", () => verifyAccount(root, owner, answer));
  const hasUsername = within("username", () => verifyUsername(root, owner, username, answer.usernameProof));
  const quota = quotaOf(units, hasUsername);
  for (const [name, proven] of Object.entries(quota)) {
    const claimed = answer[name as keyof Quota];
    if (claimed !== proven) throw failed("claim", `response states ${name} ${claimed}, its rows ${proven}`);
  }
  return quota;
}

/** activeGrants returns the range of the grants that expire after a time. It starts after the greatest key that expires then. */
function activeGrants(owner: Uint8Array, asOf: number): Interval {
  const prefix = concat(Uint8Array.of(0x16), owner);
  return { prefix, after: concat(prefix, bigEndian(BigInt(asOf), 4), new Uint8Array(32).fill(0xff)) };
}

function verifyGrants(root: Uint8Array, interval: Interval, answer: GetStorageQuotaProofResponse): number {
  const { grants } = answer;
  if (grants.length > maxGrants) throw failed("bounds", `${grants.length} grants, at most ${maxGrants}`);
  const run = readRun(interval, answer.lowerBoundProof, grants, answer.upperBoundProof);
  const none = new Uint8Array();
  if (!bytesEqual(run.lower?.key ?? none, answer.lowerBoundKey) || !bytesEqual(run.upper?.key ?? none, answer.upperBoundKey)) {
    throw failed("key", "bounds are proven for other keys than the response states");
  }
  verifyRun(root, { ...run, closed: true });
  const units = grants.reduce((sum, { value }) => sum + decodeRow(() => decode(StorageGrantRowSchema, value)).units, 0);
  return Math.min(units, maxUint32);
}

/** verifyAccount verifies the account row and returns its username, empty for none. */
function verifyAccount(root: Uint8Array, owner: Uint8Array, answer: GetStorageQuotaProofResponse): string {
  const value = verifyPresence(root, concat(Uint8Array.of(0x04), owner), answer.accountProof) ?? new Uint8Array();
  if (!bytesEqual(value, answer.accountValue)) throw failed("value", "response has another account row than it proves");
  return decodeRow(() => decode(AccountRowSchema, value)).username;
}

/** verifyUsername reports whether the row of a username refers back to the account. */
function verifyUsername(root: Uint8Array, owner: Uint8Array, username: string, proof: Uint8Array): boolean {
  if (username === "") {
    if (proof.length > 0) throw failed("claim", "proof of a username that the account does not have");
    return false;
  }
  const value = verifyPresence(root, concat(Uint8Array.of(0x08), utf8(username)), proof) ?? new Uint8Array();
  return bytesEqual(decodeRow(() => decode(UsernameRowSchema, value)).ownerAddress, owner);
}

function decodeRow<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw failed("value", `row cannot be decoded: ${String(error)}`);
  }
}
