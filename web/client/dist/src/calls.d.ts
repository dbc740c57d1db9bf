import { type Init, type MessageDesc } from "./protobuf.js";
/** Method is a method of a service. */
export interface Method<I = unknown, O = unknown, K extends "unary" | "stream" = "unary" | "stream"> {
    readonly name: string;
    readonly kind: K;
    readonly input: MessageDesc<I>;
    readonly output: MessageDesc<O>;
    /** Whether it has no effects, so that it may be repeated. */
    readonly isRead: boolean;
}
/** method describes a method. */
export declare function method<I, O, K extends "unary" | "stream">(name: string, kind: K, input: MessageDesc<I>, output: MessageDesc<O>, isRead?: boolean): Method<I, O, K>;
interface Service {
    readonly typeName: string;
    readonly methods: Readonly<Record<string, Method>>;
}
/** CallOptions are options of a call. */
export interface CallOptions {
    readonly signal?: AbortSignal;
}
/** Calls are the methods of a service. */
export type Calls<S extends Service> = {
    readonly [M in keyof S["methods"]]: S["methods"][M] extends Method<infer I, infer O, infer K> ? (request: Init<I>, options?: CallOptions) => K extends "stream" ? AsyncIterable<O> : Promise<O> : never;
};
/** CallError is an error that a node returned for a call. */
export declare class CallError extends Error {
    /** A code of docs/errors.md, such as not_found; unavailable and unknown when there was no answer of a node. */
    readonly code: string;
    /** What the node reports. */
    readonly reason: string;
    /** How long the node asks to wait, in milliseconds. */
    readonly retryAfter?: number | undefined;
    readonly name = "CallError";
    constructor(
    /** A code of docs/errors.md, such as not_found; unavailable and unknown when there was no answer of a node. */
    code: string, 
    /** What the node reports. */
    reason: string, 
    /** How long the node asks to wait, in milliseconds. */
    retryAfter?: number | undefined);
}
/** isUnreachable reports whether an error means that no node answered, as opposed to an error that a node returned. */
export declare function isUnreachable(error: unknown): boolean;
/** hasCode reports whether an error is that of a node with a code. */
export declare function hasCode(error: unknown, code: string): boolean;
/** connectCalls returns the methods of a service of the node at a URL. */
export declare function connectCalls<S extends Service>(service: S, url: string, fetcher: typeof fetch): Calls<S>;
/** sleep waits for a time in milliseconds. It throws the reason of a signal that is aborted. */
export declare function sleep(time: number, signal?: AbortSignal): Promise<void>;
export {};
