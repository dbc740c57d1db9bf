import type { GetBlockResponse, MakechainService, Message, SubscribeRequest } from "../gen/schema.js";
import { type Calls } from "./calls.js";
import type { Init } from "./protobuf.js";
/** StreamOptions are where a stream starts, and what ends it. */
export interface StreamOptions {
    /** The first block; without it the stream starts with the next one. */
    readonly startBlock?: bigint;
    readonly signal?: AbortSignal;
}
/** MessageFilter selects messages: of a project, of an account, of types. */
export type MessageFilter = Omit<Init<SubscribeRequest>, "startBlock" | "startIndex">;
type NodeCalls = Calls<typeof MakechainService>;
/** streamBlocks yields blocks as they commit. */
export declare function streamBlocks(calls: NodeCalls, options: StreamOptions): AsyncGenerator<GetBlockResponse, void, undefined>;
/** streamMessages yields messages as they commit, in order, without gaps or duplicates. */
export declare function streamMessages(calls: NodeCalls, filter: MessageFilter, options: StreamOptions): AsyncGenerator<Message, void, undefined>;
export {};
