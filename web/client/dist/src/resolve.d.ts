import type { Client } from "./client.js";
import type { Proven } from "./evidence.js";
/** NotFoundError means that a name does not exist on the chain, which is proven. */
export declare class NotFoundError extends Error {
    readonly kind: string;
    readonly subject: string;
    readonly name = "NotFoundError";
    constructor(kind: string, subject: string);
}
/** NameError means that text is not a valid name. */
export declare class NameError extends Error {
    readonly name = "NameError";
    constructor(subject: string, want: string);
}
export declare function resolveAccount(client: Client, name: string): Promise<Proven<Uint8Array>>;
export declare function resolveProject(client: Client, name: string): Promise<Proven<Uint8Array>>;
