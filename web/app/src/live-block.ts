// Blocks as the page lists them while they arrive: the node's word.

/** LiveMessage is a message of a block. */
export interface LiveMessage {
  readonly hash: string;
  /** As in REST: "commit_bundle". */
  readonly type: string;
  /** The address of the account. */
  readonly owner: string;
  /** The id of the project, or nothing. */
  readonly project: string;
  readonly block: number;
  readonly time: number;
}

/** LiveBlock is a block with its first messages. */
export interface LiveBlock {
  readonly number: number;
  readonly hash: string;
  /** In seconds since 1970. */
  readonly time: number;
  /** How many messages it has. */
  readonly count: number;
  readonly messages: readonly LiveMessage[];
}

/** How many messages of a block are kept. */
const keptMessages = 20;

interface RestMessage {
  hash?: string;
  data?: { type?: string; owner_address?: string };
}

interface RestBlock {
  block?: { hash?: string; header?: { height?: { block_number?: string }; timestamp?: string } };
  execution_payload?: { account_messages?: RestMessage[]; project_messages?: { project_id?: string; messages?: RestMessage[] }[] };
}

/** summarize reads a block of the REST API. */
export function summarize(value: unknown): LiveBlock {
  const { block, execution_payload: payload } = value as RestBlock;
  const number = Number(block?.header?.height?.block_number ?? 0);
  const time = Number(block?.header?.timestamp ?? 0);
  const groups = [{ project_id: "", messages: payload?.account_messages ?? [] }, ...(payload?.project_messages ?? [])];
  const messages: LiveMessage[] = [];
  let count = 0;
  for (const group of groups) {
    count += group.messages?.length ?? 0;
    for (const message of (group.messages ?? []).slice(0, keptMessages - messages.length)) {
      messages.push({ hash: message.hash ?? "", type: message.data?.type ?? "", owner: message.data?.owner_address ?? "", project: group.project_id ?? "", block: number, time });
    }
  }
  return { number, hash: block?.hash ?? "", time, count, messages };
}
