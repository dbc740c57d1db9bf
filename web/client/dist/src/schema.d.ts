import * as state from "../gen/schema.js";
/** Part is a part of a key. */
export interface Part<N extends string = string, V = unknown> {
    readonly name: N;
    /** Its size in bytes; 0 for the remainder of the key. */
    readonly size: number;
    encode(value: V): Uint8Array;
    decode(bytes: Uint8Array): unknown;
}
type Input<P> = P extends Part<string, infer V> ? V : never;
type Output<P> = P extends {
    decode(bytes: Uint8Array): infer V;
} ? V : never;
/** KeyOf are the arguments that identify a row: the parts of its key. */
export type KeyOf<P extends readonly Part[]> = {
    [I in keyof P]: Input<P[I]>;
};
/** RowType is a family of rows. */
export interface RowType<T = unknown, P extends readonly Part[] = readonly Part[]> {
    readonly name: string;
    /** The first bytes of the keys. */
    readonly prefix: Uint8Array;
    readonly parts: P;
    /** A byte after this many parts, of families that share a prefix. */
    readonly tag: {
        readonly after: number;
        readonly value: number;
    } | undefined;
    decode(value: Uint8Array): T;
}
/** Entry is a row: its key, the parts of its key by name, and its value. */
export type Entry<T, P extends readonly Part[]> = {
    readonly key: Uint8Array;
    readonly value: T;
} & {
    readonly [E in P[number] as E["name"]]: Output<E>;
};
/** rows are the families of rows. */
export declare const rows: {
    readonly account: RowType<state.AccountRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly accountMetadata: RowType<state.AccountMetadataRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "field";
        size: number;
        encode: (value: number) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => number;
    }]>;
    readonly key: RowType<state.DelegatedKeyRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "publicKey";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly custodyKey: RowType<state.CustodyKeyRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "keyId";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly keyOwner: RowType<state.KeyOwnerRow, readonly [{
        name: "publicKey";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly username: RowType<state.UsernameRow, readonly [{
        name: "username";
        size: number;
        encode: (value: string | Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => string;
    }]>;
    readonly verification: RowType<state.VerificationRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "address";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly project: RowType<state.ProjectRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly projectMetadata: RowType<state.ProjectMetadataRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "field";
        size: number;
        encode: (value: number) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => number;
    }]>;
    readonly projectName: RowType<state.ProjectNameRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "name";
        size: number;
        encode: (value: string | Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => string;
    }]>;
    readonly ref: RowType<state.RefRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "name";
        size: number;
        encode: (value: string | Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => string;
    }]>;
    readonly commit: RowType<state.CommitRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "commit";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly collaborator: RowType<state.CollaboratorRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly follow: RowType<state.LinkRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "target";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly star: RowType<state.LinkRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly follower: RowType<state.LinkRow, readonly [{
        name: "target";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly stargazer: RowType<state.LinkRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly reaction: RowType<state.ReactionRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "type";
        size: number;
        encode: (value: number) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => number;
    }, {
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "commit";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly reactionByTarget: RowType<state.ReactionRow, readonly [{
        name: "type";
        size: number;
        encode: (value: number) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => number;
    }, {
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "commit";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly counter: RowType<state.CounterRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "kind";
        size: number;
        encode: (value: number) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => number;
    }]>;
    readonly storageGrant: RowType<state.StorageGrantRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "expiresAt";
        size: number;
        encode: (value: number) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => number;
    }, {
        name: "claim";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly claim: RowType<state.ClaimRow, readonly [{
        name: "claim";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly forkParent: RowType<state.ForkParentRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly mergeRequest: RowType<state.MergeRequestRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "request";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly mergeRequestByRequester: RowType<state.MergeRequestByRequesterRow, readonly [{
        name: "owner";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "request";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly validators: RowType<state.ValidatorsRow, readonly []>;
    readonly closedMergeRequest: RowType<state.ClosedMergeRequestRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "request";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
    readonly content: RowType<state.ContentRow, readonly [{
        name: "project";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }, {
        name: "digest";
        size: number;
        encode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
        decode: (value: Uint8Array) => Uint8Array<ArrayBufferLike>;
    }]>;
};
/** tombstone returns the family of the tombstones of a family: a row whose member was removed has one. */
export declare function tombstone<T, P extends readonly Part[]>(of: RowType<T, P>): RowType<state.TombstoneRow, P>;
/** pruneMarker returns the family of the prune markers of a family: a row that was pruned to keep a quota has one. */
export declare function pruneMarker<T, P extends readonly Part[]>(of: RowType<T, P>): RowType<state.PruneMarkerRow, P>;
/** rowKey returns the key of a row, or with fewer parts the prefix of the keys that start with them. */
export declare function rowKey<T, P extends readonly Part[]>(row: RowType<T, P>, ...key: Partial<KeyOf<P>>): Uint8Array;
/** readEntry decodes a row that has the prefix of its family. A key or value that is not of the family fails the step "value". */
export declare function readEntry<T, P extends readonly Part[]>(row: RowType<T, P>, key: Uint8Array, value: Uint8Array): Entry<T, P>;
/** decodeValue decodes the value of a row. */
export declare function decodeValue<T, P extends readonly Part[]>(row: RowType<T, P>, value: Uint8Array): T;
export {};
