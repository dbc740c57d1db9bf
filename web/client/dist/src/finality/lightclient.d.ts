import { type LightBlock } from "./lightblock.js";
import { type Tally, type Trust } from "./verify.js";
/** defaultTrustingPeriod is the maximum age of a header from which others are verified, in milliseconds. */
export declare const defaultTrustingPeriod: number;
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
export declare class LightClient {
    #private;
    readonly source: Source;
    constructor(trust: Trust, source: Source, options?: LightClientOptions);
    /** trust returns the newest validators that were verified. */
    get trust(): Trust;
    /** certify verifies an encoded light block with a number. The result has the root after the block before it. */
    certify(encoded: Uint8Array, number: bigint, signal?: AbortSignal): Promise<Certified>;
}
/** trustLightBlock returns the validators of a light block, which must have signed it, for a client that trusts the chain first seen. */
export declare function trustLightBlock(encoded: Uint8Array): Trust;
