import { type GitObject } from "./object.js";
/** The size of the largest object that a content service serves. */
export declare const maxObjectBytes: number;
/** ContentError means that an object could not be read. */
export declare class ContentError extends Error {
    /** The HTTP status, 404 if the service does not have the object; 0 if there was no answer. */
    readonly status: number;
    constructor(message: string, 
    /** The HTTP status, 404 if the service does not have the object; 0 if there was no answer. */
    status: number);
}
export interface StoreOptions {
    readonly fetch?: typeof fetch;
    /** How many bytes of objects are kept in memory. */
    readonly cacheBytes?: number;
    /** Returns the Authorization header of reads of a private project (docs/content.md, "Statements"). */
    readonly authorization?: () => Promise<string | undefined>;
}
/** ObjectSource returns verified objects by id. */
export interface ObjectSource {
    get(id: string, signal?: AbortSignal): Promise<GitObject>;
}
/** firstOf reads an object from the first source that has it, as for a fork and the project that it was forked from. If none has it, the error is that of the first. */
export declare function firstOf(...sources: readonly ObjectSource[]): ObjectSource;
/** ObjectStore reads the objects of one project. Concurrent reads of the same object share a request. */
export declare class ObjectStore implements ObjectSource {
    private readonly url;
    /** The id of the project, 64 hex digits. */
    readonly project: string;
    private readonly options;
    private readonly cache;
    private cached;
    private readonly pending;
    private running;
    private readonly queue;
    constructor(url: string, 
    /** The id of the project, 64 hex digits. */
    project: string, options?: StoreOptions);
    /**
     * get returns an object. It throws a ProofError with the step "object" if the content does not have this id, and a ContentError if there is
     * none. When the signals of all readers of an object are aborted, so is the request.
     */
    get(id: string, signal?: AbortSignal): Promise<GitObject>;
    private start;
    private enqueue;
    private keep;
    private read;
    private request;
}
