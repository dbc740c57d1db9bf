// Certified roots: the state after a block, as trusted validators signed it.
import type { MakechainService } from "../gen/schema.js";
import { bytesEqual, hex } from "./bytes.js";
import { type Calls, hasCode, sleep } from "./calls.js";
import { type Evidence, type Proven, type Step } from "./evidence.js";
import { type Certified, LightClient, type LightClientOptions, trustLightBlock } from "./finality/lightclient.js";
import { type Header, toDate, type Validator } from "./finality/lightblock.js";
import type { Trust } from "./finality/verify.js";
import { Highest, type Memory, rememberedTrust, rememberTrust } from "./memory.js";
import { failed } from "./steps.js";

/** blockTimeout is how long the client waits for the block that certifies a root, and blockPoll how often it asks, in milliseconds. */
const blockTimeout = 30_000;
const blockPoll = 250;
/** maxCached is the maximum number of certified blocks that are kept. */
const maxCached = 256;

/** Root is the certified state after a block. */
export interface Root {
  /** The block after which the state has the root. */
  readonly block: bigint;
  readonly root: Uint8Array;
  /** The header of the next block, which contains the root, its hash, and the validators of that block. */
  readonly header: Header;
  readonly headerHash: Uint8Array;
  readonly validators: readonly Validator[];
}

/** CertifierOptions configure whom a client trusts. */
export interface CertifierOptions extends LightClientOptions {
  /** The validators to trust; without them those that the node reports first, which are as trustworthy as the node. */
  readonly trust?: Trust;
  /** Keeps the chain first seen and the highest block for later clients. */
  readonly memory?: Memory;
}

/** Certifier verifies light blocks of a node and keeps the results. */
export class Certifier {
  readonly #cache = new Map<bigint, Promise<Proven<Root>>>();
  #newest: Proven<Root> | undefined;
  #client: Promise<{ light: LightClient; highest: Highest }> | undefined;

  constructor(
    readonly url: string,
    readonly calls: Calls<typeof MakechainService>,
    readonly options: CertifierOptions,
  ) {}

  /** trusted returns the newest validators that are trusted. */
  async trusted(): Promise<Trust> {
    return (await this.#start()).light.trust;
  }

  /** highest returns the memory of the highest certified block. */
  async highest(): Promise<Highest> {
    return (await this.#start()).highest;
  }

  /**
   * root returns the certified state after a block. The newest block of an idle chain is not followed by another one: then the result
   * is that of the block before, which has the same root.
   */
  root(block: bigint): Promise<Proven<Root>> {
    return this.#cached(block, async () => {
      const final = await this.#finalized(block);
      return final.blockNumber === block ? this.verify(final.lightBlock, block) : this.verified(final.lightBlock, final.blockNumber);
    });
  }

  /** rootOf is root for an answer with a root: that of the newest certified block is known without asking the node again. */
  async rootOf({ blockNumber, root }: { readonly blockNumber: bigint; readonly root: Uint8Array }): Promise<Proven<Root>> {
    const { block: highest } = await this.highest(); // another client with the same memory may know a later block
    const newest = this.#newest;
    return newest !== undefined && newest.value.block >= highest && bytesEqual(newest.value.root, root) ? newest : this.root(blockNumber);
  }

  /** verify verifies that a light block certifies the root after a block. */
  async verify(lightBlock: Uint8Array, block: bigint): Promise<Proven<Root>> {
    const { light, highest } = await this.#start();
    const before = light.trust;
    const certified = await light.certify(lightBlock, block + 1n);
    const proven = provenRoot(certified, before);
    highest.reach(block);
    if (this.#newest === undefined || this.#newest.value.block < block) this.#newest = proven;
    if (light.trust !== before) rememberTrust(this.options.trust === undefined ? this.options.memory : undefined, this.url, light.trust);
    return proven;
  }

  /** verified is verify with the result of an earlier call for the same block. */
  verified(lightBlock: Uint8Array, block: bigint): Promise<Proven<Root>> {
    return this.#cached(block, () => this.verify(lightBlock, block));
  }

  /** #cached keeps the results of blocks; a failure, and the result of another block, is not kept. */
  #cached(block: bigint, certify: () => Promise<Proven<Root>>): Promise<Proven<Root>> {
    const known = this.#cache.get(block);
    if (known !== undefined) return known;
    const pending = certify();
    this.#cache.set(block, pending);
    const drop = () => {
      if (this.#cache.get(block) === pending) this.#cache.delete(block);
    };
    pending.then((proven) => proven.value.block !== block && drop(), drop);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > maxCached && oldest !== undefined) this.#cache.delete(oldest);
    return pending;
  }

  /** #start returns the light client. It asks the node whom to trust when the caller did not say. */
  #start(): Promise<{ light: LightClient; highest: Highest }> {
    this.#client ??= this.#trust().then((trust) => ({
      light: new LightClient(trust, (number) => this.#lightBlock(number), { trustingPeriod: Infinity, ...this.options }),
      highest: new Highest(this.options.memory, trust.chainId),
    }));
    this.#client.catch(() => (this.#client = undefined));
    return this.#client;
  }

  async #trust(): Promise<Trust> {
    const known = this.options.trust ?? rememberedTrust(this.options.memory, this.url);
    if (known !== undefined) return known;
    const status = await this.calls.getNodeStatus({});
    const final = await this.#finalized(status.currentBlock);
    const trust = trustLightBlock(final.lightBlock);
    if (trust.chainId !== status.chainId) throw failed("chain", `the node reports chain ${status.chainId} and returned a block of ${trust.chainId}`);
    rememberTrust(this.options.memory, this.url, trust);
    return trust;
  }

  /** #finalized returns the light block that certifies the root after a block. That is the next block, for which it waits. */
  async #finalized(blockNumber: bigint) {
    for (const deadline = Date.now() + blockTimeout; ; ) {
      try {
        return await this.calls.getFinalizedRoot({ blockNumber });
      } catch (error) {
        if (!hasCode(error, "unavailable") || Date.now() > deadline) throw error;
      }
      await sleep(blockPoll);
    }
  }

  /** #lightBlock returns the light block with a number, unverified. */
  async #lightBlock(number: bigint): Promise<Uint8Array> {
    if (number <= 0n) throw failed("height", `${number} is not the number of a block`);
    const final = await this.calls.getFinalizedRoot({ blockNumber: number - 1n });
    if (final.blockNumber !== number - 1n) throw failed("provider", `block ${number} does not exist yet`);
    return final.lightBlock;
  }
}

function provenRoot({ block, tally }: Certified, trusted: Trust): Proven<Root> {
  const { header, hash, validators, totalPower } = block;
  const set = `${validators.length} validators have the hash ${hex(header.validatorsHash)}`;
  const followed = hex(header.validatorsHash) !== hex(trusted.validatorsHash);
  const steps: Step[] = [
    { name: "header", detail: `header ${header.height} of chain ${header.chainId} has the hash ${hex(hash)}` },
    { name: "validators", detail: followed ? `${set}, followed from the trusted ones of block ${trusted.blockNumber}` : `${set}, as trusted` },
    { name: "signatures", detail: `${tally.signed} signatures with a power of ${tally.power} of ${totalPower}, more than two thirds` },
    { name: "root", detail: `the header has the root ${hex(header.appHash)} of the state after block ${header.height - 1n}` },
  ];
  const evidence: Evidence = {
    chainId: header.chainId,
    block: header.height - 1n,
    time: toDate(header.time),
    root: header.appHash,
    signatures: { signed: tally.signed, validators: validators.length, power: tally.power, totalPower },
    steps,
  };
  return { value: { block: evidence.block, root: header.appHash, header, headerHash: hash, validators }, evidence };
}
