import { type LightBlock } from "./lightblock.js";
/** Trust is a validator set that a client trusts, and a block that it signs. */
export interface Trust {
    readonly chainId: string;
    /** The hash of the validators, over their public keys and powers. */
    readonly validatorsHash: Uint8Array;
    /** The number of a block that this set signs, where a light client can start; 0 when it is unknown. */
    readonly blockNumber: bigint;
}
/** Tally is the result of verifying signatures. Verification stops when the power suffices. */
export interface Tally {
    readonly signed: number;
    readonly power: bigint;
}
/**
 * verifySignatures verifies that validators with more than two thirds of the power of a light block signed it. A wrong signature
 * before that fails the step "signatures", too little power "power".
 */
export declare function verifySignatures(block: LightBlock): Tally;
/**
 * verifyTrusting verifies that validators with more than one third of the power of a trusted set signed a light block of another
 * one. It fails the step "power" when too many validators changed.
 */
export declare function verifyTrusting(trusted: LightBlock, block: LightBlock): Tally;
