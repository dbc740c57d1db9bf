export type ObjectType = "blob" | "commit" | "tag" | "tree";
/** GitObject is an object whose id was recomputed from its type and content. */
export interface GitObject {
    /** The id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits. */
    readonly id: string;
    readonly type: ObjectType;
    readonly content: Uint8Array;
}
/** MalformedError means that an object is the one that its id names, and not a valid object of git. */
export declare class MalformedError extends Error {
    constructor(message: string);
}
/** isObjectId reports whether text is a complete id of an object. */
export declare function isObjectId(text: string): boolean;
/** objectId returns the id that 32 bytes on the chain stand for: a hash that ends in 12 zero bytes is a SHA-1 id. */
export declare function objectId(hash: Uint8Array): string;
/** chainHash returns the 32 bytes that stand for an id on the chain. */
export declare function chainHash(id: string): Uint8Array;
/**
 * hashObject computes the id of an object, in the format of an id with as many digits. It throws a ProofError if the content is part of a
 * collision attack on SHA-1, as git does.
 */
export declare function hashObject(digits: 40 | 64, type: ObjectType, content: Uint8Array): string;
/** Ident is who wrote or committed something, and when. */
export interface Ident {
    readonly name: string;
    readonly email: string;
    /** Seconds since 1970. */
    readonly time: number;
    /** The offset from UTC in minutes. */
    readonly zone: number;
}
export interface Commit {
    readonly id: string;
    readonly tree: string;
    readonly parents: readonly string[];
    readonly author: Ident;
    readonly committer: Ident;
    /** Whether the commit has a signature, which is not verified. */
    readonly signed: boolean;
    readonly message: string;
}
export interface Tag {
    readonly id: string;
    readonly object: string;
    readonly type: ObjectType;
    readonly name: string;
    readonly tagger: Ident | undefined;
    readonly message: string;
}
/** parseCommit parses the content of a commit. */
export declare function parseCommit({ id, type, content }: GitObject): Commit;
/** parseTag parses the content of an annotated tag. */
export declare function parseTag({ id, type, content }: GitObject): Tag;
export declare function isObjectType(text: string | null): text is ObjectType;
