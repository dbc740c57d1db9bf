/** maxValidators is the maximum number of validators in a light block. */
export declare const maxValidators = 1000;
/** maxLightBlockSize is the maximum size of a light block, in bytes: enough for maxValidators. */
export declare const maxLightBlockSize: number;
/** Flags of a signature: the validator did not vote, or voted for the block, or for none. */
export declare const voteAbsent = 1;
export declare const voteCommit = 2;
/** Time is a time with the precision that is signed. */
export interface Time {
    readonly seconds: bigint;
    readonly nanos: number;
}
export interface BlockId {
    readonly hash: Uint8Array;
    readonly partsTotal: bigint;
    readonly partsHash: Uint8Array;
}
export interface Header {
    readonly appVersion: bigint;
    readonly chainId: string;
    readonly height: bigint;
    readonly time: Time;
    readonly lastBlockId: BlockId;
    readonly lastCommitHash: Uint8Array;
    readonly dataHash: Uint8Array;
    readonly validatorsHash: Uint8Array;
    readonly nextValidatorsHash: Uint8Array;
    readonly consensusHash: Uint8Array;
    readonly appHash: Uint8Array;
    readonly lastResultsHash: Uint8Array;
    readonly evidenceHash: Uint8Array;
    readonly proposerAddress: Uint8Array;
}
export interface Vote {
    readonly flag: number;
    readonly address: Uint8Array;
    readonly time: Time;
    readonly signature: Uint8Array;
}
export interface Commit {
    readonly height: bigint;
    readonly round: bigint;
    readonly blockId: BlockId;
    readonly votes: readonly Vote[];
}
export interface Validator {
    readonly address: Uint8Array;
    readonly publicKey: Uint8Array;
    readonly power: bigint;
}
/** LightBlock is a decoded light block. Its parts belong together; its signatures are not verified. */
export interface LightBlock {
    readonly header: Header;
    /** The hash of the header. */
    readonly hash: Uint8Array;
    readonly commit: Commit;
    readonly validators: readonly Validator[];
    readonly totalPower: bigint;
}
/** Expected is the chain and the number of a block that is read. */
export interface Expected {
    readonly chainId: string;
    readonly number: bigint;
}
/**
 * decodeLightBlock decodes a light block and checks that the header, the commit and the validators belong together. The steps are
 * those of proof/finality: "bounds", "encoding", "chain", "height", "header".
 */
export declare function decodeLightBlock(encoded: Uint8Array, expected?: Expected): LightBlock;
/** hashValidators returns the hash of validators, over their keys and powers. */
export declare function hashValidators(validators: readonly Validator[]): Uint8Array;
/** voteBytes returns what a validator signs when it votes for the block of a commit. */
export declare function voteBytes(chainId: string, commit: Commit, vote: Vote): Uint8Array;
/** toDate returns a time with the precision of a Date. */
export declare function toDate(time: Time): Date;
