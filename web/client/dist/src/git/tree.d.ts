import { type GitObject } from "./object.js";
/** Kind is what an entry of a tree is: "commit" is a submodule. */
export type Kind = "commit" | "executable" | "file" | "link" | "tree";
export interface Entry {
    readonly kind: Kind;
    /** The mode as git writes it, with six digits. */
    readonly mode: string;
    /** The name as text, see nameText. */
    readonly name: string;
    readonly id: string;
}
/** parseTree parses the content of a tree: modes, names without "/", in the order of git and each once. */
export declare function parseTree({ id, type, content }: GitObject): Entry[];
/** compareEntries compares names of a tree as git sorts them: as bytes, and the name of a tree as if it ended in "/". */
export declare function compareEntries(a: Uint8Array, kindA: Kind, b: Uint8Array, kindB: Kind): number;
/** nameText returns a name as text. Bytes that are not valid UTF-8 become the characters U+10FF00 to U+10FFFF. */
export declare function nameText(bytes: Uint8Array): string;
/** nameBytes is the inverse of nameText. */
export declare function nameBytes(text: string): Uint8Array;
