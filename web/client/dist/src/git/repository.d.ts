import type { Step } from "../evidence.js";
import { type Commit, type Tag } from "./object.js";
import type { ObjectSource } from "./store.js";
import { type Entry, type Kind } from "./tree.js";
/** PathError means that a commit does not have a path. It is as certain as the commit itself. */
export declare class PathError extends Error {
    constructor(message: string);
}
/** Found is what a path of a commit names, and the checks that were made on the way. */
export interface Found {
    readonly kind: Kind;
    readonly mode: string;
    readonly id: string;
    readonly steps: readonly Step[];
}
/** Resolved is the commit that a ref points to, the tags on the way, and the checks that were made. */
export interface Resolved {
    readonly commit: Commit;
    readonly tags: readonly Tag[];
    readonly steps: readonly Step[];
}
/** recomputed is the check of one object. */
export declare function recomputed(type: string, id: string, name?: string): Step;
/** Repository reads objects of one project as what they are. All of them are verified by the store. */
export declare class Repository {
    readonly store: ObjectSource;
    constructor(store: ObjectSource);
    commit(id: string, signal?: AbortSignal): Promise<Commit>;
    tag(id: string, signal?: AbortSignal): Promise<Tag>;
    tree(id: string, signal?: AbortSignal): Promise<Entry[]>;
    /** blob returns the content of a file. */
    blob(id: string, signal?: AbortSignal): Promise<Uint8Array>;
    /** prefetch reads objects into the cache of the store. Ids may come from a node: they decide only what is read early. */
    prefetch(ids: Iterable<string>, signal?: AbortSignal): void;
    /**
     * resolve returns the commit of a ref of the chain, which names the commit and, for an annotated tag, the tag object. It throws a
     * ProofError if the tag leads to another commit.
     */
    resolve(ref: {
        readonly hash: Uint8Array;
        readonly tagObject?: Uint8Array | undefined;
    }, signal?: AbortSignal): Promise<Resolved>;
    /** find returns what a path of a commit names; the root for an empty path. It throws a PathError if there is nothing. */
    find(commit: Commit, path: readonly string[], signal?: AbortSignal): Promise<Found>;
    /** identify returns a text that is equal for two commits if and only if a path has the same content in both. */
    identify(tree: string, path: readonly string[], signal?: AbortSignal): Promise<string>;
}
