import { isUnreachable, sleep } from "./calls.js";
const firstDelay = 250;
const maxDelay = 10_000;
/** streamBlocks yields blocks as they commit. */
export function streamBlocks(calls, options) {
    let startBlock = options.startBlock;
    return resumed(async () => calls.subscribeBlocks({ startBlock: (startBlock ??= await nextBlock(calls)) }, options), (block) => (startBlock = (block.block?.header?.height?.blockNumber ?? 0n) + 1n), options.signal);
}
/** streamMessages yields messages as they commit, in order, without gaps or duplicates. */
export function streamMessages(calls, filter, options) {
    let startBlock = options.startBlock;
    let startIndex = 0;
    return resumed(async () => calls.subscribeMessages({ ...filter, startBlock: (startBlock ??= await nextBlock(calls)), startIndex }, options), (message) => ([startBlock, startIndex] = [message.blockNumber, message.index + 1]), options.signal);
}
async function nextBlock(calls) {
    return (await calls.getNodeStatus({})).currentBlock + 1n;
}
/** resumed opens a stream again when it breaks, after a delay that grows until something arrives. Other errors end it. */
async function* resumed(open, seen, signal) {
    for (let delay = firstDelay;; delay = Math.min(2 * delay, maxDelay)) {
        try {
            for await (const item of await open()) {
                seen(item);
                delay = firstDelay;
                yield item;
            }
        }
        catch (error) {
            if (signal?.aborted === true || !isUnreachable(error))
                throw error;
        }
        await sleep(delay, signal);
    }
}
