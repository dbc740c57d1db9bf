// What a client remembers for later ones: whom it trusts, and the highest block of each chain.
import { fromHex, hex } from "./bytes.js";
import type { Trust } from "./finality/verify.js";

/** Memory stores public data by name, such as localStorage of a browser. */
export interface Memory {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

const trustName = (url: string) => `makechain:trust:${url}`;
const highestName = (chainId: string) => `makechain:highest:${chainId}`;

/** rememberedTrust returns the validators that were trusted at a URL before. It throws when the memory is damaged. */
export function rememberedTrust(memory: Memory | undefined, url: string): Trust | undefined {
  const stored = memory?.getItem(trustName(url));
  if (stored === null || stored === undefined) return undefined;
  const { chain_id, validators_hash, block_number } = JSON.parse(stored) as Record<string, unknown>;
  if (typeof chain_id !== "string" || typeof validators_hash !== "string" || typeof block_number !== "string") {
    throw new Error(`the stored trust for ${url} is damaged`);
  }
  return { chainId: chain_id, validatorsHash: fromHex(validators_hash), blockNumber: BigInt(block_number) };
}

/** rememberTrust stores the validators that are trusted at a URL. */
export function rememberTrust(memory: Memory | undefined, url: string, trust: Trust): void {
  memory?.setItem(
    trustName(url),
    JSON.stringify({ chain_id: trust.chainId, validators_hash: hex(trust.validatorsHash), block_number: trust.blockNumber.toString() }),
  );
}

/** Highest is the highest certified block of a chain, which is kept over clients. */
export class Highest {
  #block = 0n;

  constructor(
    readonly memory: Memory | undefined,
    readonly chainId: string,
  ) {}

  /** block returns the number of the highest block that is known. */
  get block(): bigint {
    const stored = this.memory?.getItem(highestName(this.chainId)) ?? "0";
    if (!/^[0-9]{1,19}$/.test(stored)) throw new Error(`the stored block of ${this.chainId} is damaged`);
    if (BigInt(stored) > this.#block) this.#block = BigInt(stored);
    return this.#block;
  }

  /** reach notes that a block is certified. */
  reach(block: bigint): void {
    if (block <= this.block) return;
    this.#block = block;
    this.memory?.setItem(highestName(this.chainId), block.toString());
  }
}
