import type { MakechainService } from "../gen/schema.js";
import { type Calls } from "./calls.js";
import { type Proven } from "./evidence.js";
import { type LightClientOptions } from "./finality/lightclient.js";
import { type Header, type Validator } from "./finality/lightblock.js";
import type { Trust } from "./finality/verify.js";
import { Highest, type Memory } from "./memory.js";
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
export declare class Certifier {
    #private;
    readonly url: string;
    readonly calls: Calls<typeof MakechainService>;
    readonly options: CertifierOptions;
    constructor(url: string, calls: Calls<typeof MakechainService>, options: CertifierOptions);
    /** trusted returns the newest validators that are trusted. */
    trusted(): Promise<Trust>;
    /** highest returns the memory of the highest certified block. */
    highest(): Promise<Highest>;
    /**
     * root returns the certified state after a block. The newest block of an idle chain is not followed by another one: then the result
     * is that of the block before, which has the same root.
     */
    root(block: bigint): Promise<Proven<Root>>;
    /** rootOf is root for an answer with a root: that of the newest certified block is known without asking the node again. */
    rootOf({ blockNumber, root }: {
        readonly blockNumber: bigint;
        readonly root: Uint8Array;
    }): Promise<Proven<Root>>;
    /** verify verifies that a light block certifies the root after a block. */
    verify(lightBlock: Uint8Array, block: bigint): Promise<Proven<Root>>;
    /** verified is verify with the result of an earlier call for the same block. */
    verified(lightBlock: Uint8Array, block: bigint): Promise<Proven<Root>>;
}
