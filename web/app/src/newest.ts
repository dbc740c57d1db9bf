// Messages, newest first. The node lists them in the order of blocks, so they are read in ranges of blocks from the end.
import type { Client, Message, MessageType } from "makechain";
import type { Page } from "./load.js";

/** NumberedMessage is a message with its block. */
export interface NumberedMessage {
  readonly message: Message;
  readonly block: bigint;
}

/** The first range has this many blocks; ranges grow while they have few messages, up to what a node reads for one page. */
const firstRange = 16n;
const maxRange = 1000n;
/** A page has at least this many messages, unless this many ranges were read for it. */
const pageSize = 50;
const maxRanges = 10;
/** A range with more messages than this is read again in two parts. */
const maxMessages = 1000;

/** newestMessages reads the messages of a type, or all, from a block downwards. Their order inside of a block of many messages is that of the block. */
export async function* newestMessages(client: Client, to: bigint, type: MessageType | undefined, signal: AbortSignal): AsyncGenerator<Page<NumberedMessage>> {
  let size = firstRange;
  let found: NumberedMessage[] = [];
  for (let ranges = 1; to >= 1n; ranges++) {
    const from = to > size ? to - size + 1n : 1n;
    const messages = await readRange(client, from, to, type, signal);
    if (messages === undefined && from < to) {
      size = (to - from + 1n) / 2n;
      continue;
    }
    found.push(...(messages ?? []).reverse());
    to = from - 1n;
    if (found.length < pageSize && ranges < maxRanges && to >= 1n) {
      size = size * 2n > maxRange ? maxRange : size * 2n;
      continue;
    }
    yield { value: found };
    found = [];
    ranges = 0;
  }
}

/** readRange reads the messages of a range of blocks. It returns undefined when several blocks have too many; of one block it reads the first. */
async function readRange(client: Client, startBlock: bigint, endBlock: bigint, type: MessageType | undefined, signal: AbortSignal): Promise<NumberedMessage[] | undefined> {
  const found: NumberedMessage[] = [];
  let cursor: Uint8Array = new Uint8Array();
  do {
    const page = await client.calls.listMessages({ startBlock, endBlock, limit: 200, types: type === undefined ? [] : [type], cursor }, { signal });
    for (const { message, blockNumber } of page.messages) if (message !== undefined) found.push({ message, block: blockNumber });
    if (found.length > maxMessages) return startBlock < endBlock ? undefined : found;
    cursor = page.nextCursor;
  } while (cursor.length > 0);
  return found;
}
