// The light client: it follows changes of validators from the trusted ones, over light blocks from a node that is not trusted.
import { bytesEqual, hex } from "../bytes.js";
import { ProofError } from "../evidence.js";
import { failed } from "../steps.js";
import { decodeLightBlock, type LightBlock, toDate } from "./lightblock.js";
import { type Tally, type Trust, verifySignatures, verifyTrusting } from "./verify.js";

/** defaultTrustingPeriod is the maximum age of a header from which others are verified, in milliseconds. */
export const defaultTrustingPeriod = 30 * 24 * 3600 * 1000;
/** maxDrift is the maximum difference between clocks, in milliseconds. */
const maxDrift = 60_000;
/** maxBackwards is the maximum distance of a block before the lowest verified one: every header in between is read. */
const maxBackwards = 10_000n;
/** maxKept is the maximum number of verified blocks that are kept as starting points. */
const maxKept = 64;

/** Source returns light blocks by number. It need not be trusted. */
export type Source = (number: bigint, signal?: AbortSignal) => Promise<Uint8Array>;

/** LightClientOptions configure a light client. */
export interface LightClientOptions {
  /** The current time in milliseconds, against which the age of headers is checked. */
  readonly now?: () => number;
  /** The maximum age of a header from which others are verified, in milliseconds. Infinity accepts headers of any age. */
  readonly trustingPeriod?: number;
}

/** Certified is a block that trusted validators signed. */
export interface Certified {
  readonly block: LightBlock;
  readonly tally: Tally;
}

/**
 * LightClient verifies light blocks from trusted validators on. It trusts other validators when more than one third of the power of
 * verified ones and two thirds of their own signed a header, and bisects where too many changed at once.
 */
export class LightClient {
  readonly #now: () => number;
  readonly #trustingPeriod: number;
  #trust: Trust;
  #verified: LightBlock[] = []; // by number; the first one is never dropped

  constructor(
    trust: Trust,
    readonly source: Source,
    options: LightClientOptions = {},
  ) {
    this.#trust = trust;
    this.#now = options.now ?? Date.now;
    this.#trustingPeriod = options.trustingPeriod ?? defaultTrustingPeriod;
  }

  /** trust returns the newest validators that were verified. */
  get trust(): Trust {
    return this.#trust;
  }

  /** certify verifies an encoded light block with a number. The result has the root after the block before it. */
  async certify(encoded: Uint8Array, number: bigint, signal?: AbortSignal): Promise<Certified> {
    const certified = await this.#certify(encoded, number, signal);
    const { appHash } = certified.block.header;
    if (appHash.length !== 32) throw failed("root", `header has a root of ${appHash.length} bytes`);
    return certified;
  }

  async #certify(encoded: Uint8Array, number: bigint, signal: AbortSignal | undefined): Promise<Certified> {
    const block = this.#decode(encoded, number);
    if (bytesEqual(block.header.validatorsHash, this.#trust.validatorsHash)) return { block, tally: verifySignatures(block) };
    if (this.#trust.blockNumber === 0n) {
      throw failed("validators", `header names validators ${hex(block.header.validatorsHash)}, trusted are ${hex(this.#trust.validatorsHash)}`);
    }
    return this.#follow(block, signal);
  }

  #decode(encoded: Uint8Array, number: bigint): LightBlock {
    return decodeLightBlock(encoded, { chainId: this.#trust.chainId, number });
  }

  async #fetch(number: bigint, signal: AbortSignal | undefined): Promise<LightBlock> {
    return this.#decode(await this.source(number, signal), number);
  }

  /** #follow verifies a block from the nearest verified one. */
  async #follow(target: LightBlock, signal: AbortSignal | undefined): Promise<Certified> {
    if (this.#verified.length === 0) {
      const start = await this.#fetch(this.#trust.blockNumber, signal);
      if (!bytesEqual(start.header.validatorsHash, this.#trust.validatorsHash)) {
        throw failed("validators", `block ${start.header.height} names validators ${hex(start.header.validatorsHash)}, trusted are ${hex(this.#trust.validatorsHash)}`);
      }
      verifySignatures(start);
      this.#keep(start);
    }
    const { height } = target.header;
    const before = this.#verified.filter((block) => block.header.height <= height).at(-1);
    if (before === undefined) await this.#backwards(target, signal);
    else if (before.header.height < height) await this.#forwards(before, target, signal);
    else if (!bytesEqual(before.hash, target.hash)) throw failed("follow", `another block ${height} was verified before`);
    const newest = this.#verified.at(-1);
    if (newest !== undefined && newest.header.height > this.#trust.blockNumber) {
      this.#trust = { ...this.#trust, validatorsHash: newest.header.validatorsHash, blockNumber: newest.header.height };
    }
    return { block: target, tally: verifySignatures(target) };
  }

  /** #forwards verifies a block after a verified one, directly or by bisection. */
  async #forwards(from: LightBlock, target: LightBlock, signal: AbortSignal | undefined): Promise<void> {
    let trusted = from;
    for (const pending = [target]; ; ) {
      const next = pending.at(-1);
      if (next === undefined) return;
      if (this.#follows(trusted, next)) {
        this.#keep(next);
        trusted = next;
        pending.pop();
      } else {
        pending.push(await this.#fetch((trusted.header.height + next.header.height) / 2n, signal));
      }
    }
  }

  /** #follows verifies a block from an earlier one. It returns false when too many validators changed in between. */
  #follows(trusted: LightBlock, next: LightBlock): boolean {
    const where = `block ${next.header.height} does not follow from block ${trusted.header.height}`;
    const now = this.#now();
    if (toDate(trusted.header.time).getTime() + this.#trustingPeriod <= now) throw failed("follow", `${where}: block ${trusted.header.height} is too old to be trusted`);
    if (!isLater(next, trusted)) throw failed("follow", `${where}: its time is not later`);
    if (toDate(next.header.time).getTime() >= now + maxDrift) throw failed("follow", `${where}: its time is in the future`);
    try {
      if (next.header.height === trusted.header.height + 1n) {
        if (!bytesEqual(next.header.validatorsHash, trusted.header.nextValidatorsHash)) throw failed("validators", "they are not those that the block before names");
      } else if (!isTrusted(trusted, next)) {
        return false;
      }
      verifySignatures(next);
      return true;
    } catch (error) {
      if (error instanceof ProofError) throw failed("follow", `${where}: ${error.message}`);
      throw error;
    }
  }

  /** #backwards verifies a block before the lowest verified one: each header has the hash of the one before it. */
  async #backwards(target: LightBlock, signal: AbortSignal | undefined): Promise<void> {
    let [trusted] = this.#verified;
    const { height } = target.header;
    if (trusted === undefined || trusted.header.height - height > maxBackwards) throw failed("follow", `block ${height} is too far before the trusted one`);
    while (trusted.header.height > height) {
      const number: bigint = trusted.header.height - 1n;
      const before: LightBlock = number === height ? target : await this.#fetch(number, signal);
      if (!bytesEqual(before.hash, trusted.header.lastBlockId.hash) || !isLater(trusted, before)) {
        throw failed("follow", `block ${number} is not the one before block ${trusted.header.height}`);
      }
      trusted = before;
    }
    verifySignatures(target);
    this.#keep(target);
  }

  /** #keep adds a block to the verified ones. */
  #keep(block: LightBlock): void {
    if (this.#verified.some((known) => known.header.height === block.header.height)) return;
    this.#verified.push(block);
    this.#verified.sort((a, b) => (a.header.height < b.header.height ? -1 : 1));
    if (this.#verified.length > maxKept) this.#verified.splice(1, 1);
  }
}

/** isTrusted reports whether enough power of verified validators signed a block. */
function isTrusted(trusted: LightBlock, next: LightBlock): boolean {
  try {
    verifyTrusting(trusted, next);
    return true;
  } catch (error) {
    if (error instanceof ProofError && error.step === "power") return false;
    throw error;
  }
}

function isLater(block: LightBlock, than: LightBlock): boolean {
  const [a, b] = [block.header.time, than.header.time];
  return a.seconds > b.seconds || (a.seconds === b.seconds && a.nanos > b.nanos);
}

/** trustLightBlock returns the validators of a light block, which must have signed it, for a client that trusts the chain first seen. */
export function trustLightBlock(encoded: Uint8Array): Trust {
  const block = decodeLightBlock(encoded);
  verifySignatures(block);
  return { chainId: block.header.chainId, validatorsHash: block.header.validatorsHash, blockNumber: block.header.height };
}
