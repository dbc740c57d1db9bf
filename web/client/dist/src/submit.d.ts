import { type MakechainService, type Message } from "../gen/schema.js";
import { type Calls } from "./calls.js";
/** RefusedError means that a message was refused. Submitting it again fails until the state changes. */
export declare class RefusedError extends Error {
    /** verification, validation, authorization or state transition. */
    readonly stage: string;
    /** A code of docs/errors.md. */
    readonly code: string;
    readonly reason: string;
    readonly hash: Uint8Array;
    readonly name = "RefusedError";
    constructor(
    /** verification, validation, authorization or state transition. */
    stage: string, 
    /** A code of docs/errors.md. */
    code: string, reason: string, hash: Uint8Array);
}
/** UnknownMessageError means that the node does not have a message, which can be submitted again. */
export declare class UnknownMessageError extends Error {
    readonly hash: Uint8Array;
    readonly name = "UnknownMessageError";
    constructor(hash: Uint8Array);
}
type NodeCalls = Calls<typeof MakechainService>;
/** submit submits a message. It is pending when submit returns. When the connection breaks, it asks whether the message arrived. */
export declare function submit(calls: NodeCalls, message: Message): Promise<Uint8Array>;
/** awaitCommitted waits until a submitted message is committed, and returns the number of its block: the node's word. */
export declare function awaitCommitted(calls: NodeCalls, hash: Uint8Array, signal?: AbortSignal): Promise<bigint>;
export {};
