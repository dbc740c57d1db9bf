import { FaucetService, type ForkParentRow, type GetBlockResponse, MakechainService, type Message, ProjectMetadataType, type ProjectRow } from "../gen/schema.js";
import { type Calls } from "./calls.js";
import { type CertifierOptions, type Root } from "./certify.js";
import type { Evidence, Proven, Step } from "./evidence.js";
import type { Trust } from "./finality/verify.js";
import { type Quota } from "./proof/quota.js";
import { type Entry, type KeyOf, type Part, rows, type RowType } from "./schema.js";
import { type MessageFilter, type StreamOptions } from "./stream.js";
/** ClientOptions configure a client. */
export interface ClientOptions extends CertifierOptions {
    /** Replaces the global fetch. */
    readonly fetch?: typeof fetch;
    /** How long a node that returns a state before the highest known block is asked again, in milliseconds; 10 s unless it is given. */
    readonly rollbackTimeout?: number;
}
/** ProjectState is a project with its metadata, its fork parent and all its refs at one block. */
export interface ProjectState {
    readonly id: Uint8Array;
    /** undefined when there is no such project. */
    readonly row: ProjectRow | undefined;
    /** The fields that are set. */
    readonly metadata: ReadonlyMap<ProjectMetadataType, string>;
    readonly forkParent: ForkParentRow | undefined;
    /** By name, in the order of the bytes. */
    readonly refs: readonly RefEntry[];
}
export type RefEntry = EntryOf<typeof rows.ref>;
export type ContentEntry = EntryOf<typeof rows.content>;
/** EntryOf is the type of the entries of a family of rows. */
export type EntryOf<R> = R extends RowType<infer T, infer P> ? Entry<T, P> : never;
/** RollbackError means that a node returned a state before the highest block that is known: it is behind, or conceals what happened. */
export declare class RollbackError extends Error {
    readonly chainId: string;
    readonly block: bigint;
    readonly highest: bigint;
    readonly name = "RollbackError";
    constructor(chainId: string, block: bigint, highest: bigint);
}
/** Client calls a node and verifies its answers. */
export declare class Client {
    #private;
    readonly url: string;
    readonly options: ClientOptions;
    /** Every call of the node, unverified: the node's word. */
    readonly calls: Calls<typeof MakechainService>;
    /** The faucet, which only development chains have. */
    readonly faucet: Calls<typeof FaucetService>;
    constructor(url: string, options?: ClientOptions);
    /** trusted returns the validators that are trusted now. */
    trusted(): Promise<Trust>;
    /** certify returns the state after a block, or the newest, as trusted validators signed it. */
    certify(block?: bigint): Promise<Proven<Root>>;
    /** row reads a row, undefined when there is none; either is proven. */
    row<T, P extends readonly Part[]>(row: RowType<T, P>, ...key: KeyOf<P>): Promise<Proven<T | undefined>>;
    /**
     * rows reads the rows whose keys start with the given parts, page by page. Each page is proven to be complete; rows that are added
     * or deleted between two pages may be missing.
     */
    rows<T, P extends readonly Part[]>(row: RowType<T, P>, ...prefix: Partial<KeyOf<P>>): AsyncGenerator<Proven<Entry<T, P>[]>, void, undefined>;
    /** project reads a project with its metadata, its fork parent and all its refs. */
    project(id: Uint8Array): Promise<Proven<ProjectState>>;
    /** contents reads the contents of a project: the digests of git bundles and where they were published. */
    contents(id: Uint8Array): AsyncGenerator<Proven<ContentEntry[]>, void, undefined>;
    /** quota reads how much storage an account has now and the limits that follow. */
    quota(owner: Uint8Array): Promise<Proven<Quota>>;
    /** resolveAccount returns the address of an account by its username or address. An address is returned unchecked. */
    resolveAccount(name: string): Promise<Proven<Uint8Array>>;
    /** resolveProject returns the id of a project by its name, alice/hello, or its id. An id is returned unchecked. */
    resolveProject(name: string): Promise<Proven<Uint8Array>>;
    /** submit submits a message and returns its hash. It throws a RefusedError when the node refuses it. */
    submit(message: Message): Promise<Uint8Array>;
    /**
     * awaitCommitted waits until a submitted message is committed and returns the number of its block, by the node's word. It throws a
     * RefusedError when the message was refused or has expired, and an UnknownMessageError when the node does not have it.
     */
    awaitCommitted(hash: Uint8Array, signal?: AbortSignal): Promise<bigint>;
    /** blocks yields blocks as they commit, by the node's word. It resumes where a connection broke. */
    blocks(options?: StreamOptions): AsyncGenerator<GetBlockResponse, void, undefined>;
    /** messages yields messages as they commit, in order and without gaps, by the node's word. It resumes where a connection broke. */
    messages(filter?: MessageFilter, options?: StreamOptions): AsyncGenerator<Message, void, undefined>;
}
/** withSteps adds steps to evidence. */
export declare function withSteps(evidence: Evidence, ...steps: readonly Step[]): Evidence;
