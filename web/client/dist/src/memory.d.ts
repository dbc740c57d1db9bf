import type { Trust } from "./finality/verify.js";
/** Memory stores public data by name, such as localStorage of a browser. */
export interface Memory {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
}
/** rememberedTrust returns the validators that were trusted at a URL before. It throws when the memory is damaged. */
export declare function rememberedTrust(memory: Memory | undefined, url: string): Trust | undefined;
/** rememberTrust stores the validators that are trusted at a URL. */
export declare function rememberTrust(memory: Memory | undefined, url: string, trust: Trust): void;
/** Highest is the highest certified block of a chain, which is kept over clients. */
export declare class Highest {
    #private;
    readonly memory: Memory | undefined;
    readonly chainId: string;
    constructor(memory: Memory | undefined, chainId: string);
    /** block returns the number of the highest block that is known. */
    get block(): bigint;
    /** reach notes that a block is certified. */
    reach(block: bigint): void;
}
