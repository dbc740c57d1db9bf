// Streams of committed blocks and messages, resumed where they broke.
import type { GetBlockResponse, MakechainService, Message, SubscribeRequest } from "../gen/schema.js";
import { type Calls, isUnreachable, sleep } from "./calls.js";
import type { Init } from "./protobuf.js";

const firstDelay = 250;
const maxDelay = 10_000;

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
export function streamBlocks(calls: NodeCalls, options: StreamOptions): AsyncGenerator<GetBlockResponse, void, undefined> {
  let startBlock = options.startBlock;
  return resumed(
    async () => calls.subscribeBlocks({ startBlock: (startBlock ??= await nextBlock(calls)) }, options),
    (block) => (startBlock = (block.block?.header?.height?.blockNumber ?? 0n) + 1n),
    options.signal,
  );
}

/** streamMessages yields messages as they commit, in order, without gaps or duplicates. */
export function streamMessages(
  calls: NodeCalls,
  filter: MessageFilter,
  options: StreamOptions,
): AsyncGenerator<Message, void, undefined> {
  let startBlock = options.startBlock;
  let startIndex = 0;
  return resumed(
    async () => calls.subscribeMessages({ ...filter, startBlock: (startBlock ??= await nextBlock(calls)), startIndex }, options),
    (message) => ([startBlock, startIndex] = [message.blockNumber, message.index + 1]),
    options.signal,
  );
}

async function nextBlock(calls: NodeCalls): Promise<bigint> {
  return (await calls.getNodeStatus({})).currentBlock + 1n;
}

/** resumed opens a stream again when it breaks, after a delay that grows until something arrives. Other errors end it. */
async function* resumed<T>(open: () => Promise<AsyncIterable<T>>, seen: (item: T) => void, signal: AbortSignal | undefined): AsyncGenerator<T, void, undefined> {
  for (let delay = firstDelay; ; delay = Math.min(2 * delay, maxDelay)) {
    try {
      for await (const item of await open()) {
        seen(item);
        delay = firstDelay;
        yield item;
      }
    } catch (error) {
      if (signal?.aborted === true || !isUnreachable(error)) throw error;
    }
    await sleep(delay, signal);
  }
}
