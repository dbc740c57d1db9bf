// Operations: what the user is asked to sign, as a list of items in the order in which they take effect.
import { hashMessage, type MessageData, messageData, type MessageInit, type Network } from "makechain";
import type { CustodyChange } from "../session/custody.js";
import type { Session } from "../session/session.js";

/** MessageBody is the body of a message of any type. */
export type MessageBody = NonNullable<MessageInit["body"]>;

/** Operation is a change that the user reviews, signs and follows until it is committed. */
export interface Operation {
  /** What it does, as the title of the dialog: "Star alice/hello". */
  readonly title: string;
  /** The verb on the button that signs: "Star". */
  readonly verb: string;
  /** The change cannot be undone, or removes something: the button that cancels has the focus. */
  readonly destructive?: boolean;
  /** The key that signs when no account is signed in. */
  readonly session?: Session;
  /** What the user must know and the messages do not show. */
  readonly note?: string;
  /** The items. What they are based on was read with proofs. */
  readonly items: readonly Item[];
}

/** Item is one part of an operation. */
export type Item =
  /** A message that the delegated key signs. Its body may name the ids of messages before it. */
  | { readonly kind: "message"; readonly words: string; readonly body: MessageBody | ((ids: readonly Uint8Array[]) => MessageBody) }
  /** A message that the passkey authorizes. */
  | { readonly kind: "custody"; readonly words: string; readonly change: CustodyChange }
  /** A step without a message on the chain by this account: storage from the faucet, or content that a service copies. */
  | { readonly kind: "step"; readonly words: string; readonly fields?: readonly Field[]; readonly run: (ids: readonly Uint8Array[]) => Promise<void> };

/** Field is a name and a value, as they are shown. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

/** Prepared is an item with the message that will be signed. */
export interface Prepared {
  readonly item: Item;
  readonly data?: MessageData;
}

/** prepare completes the messages of an operation: account, network, time, and the ids of messages that later ones name. */
export function prepare(items: readonly Item[], account: Uint8Array, network: Network, timestamp: number): Prepared[] {
  const ids: Uint8Array[] = [];
  return items.map((item) => {
    if (item.kind === "step") return { item };
    const body = item.kind === "custody" ? item.change.body : typeof item.body === "function" ? item.body(ids) : item.body;
    const data = messageData({ body, ownerAddress: account, network, timestamp });
    // The id of a custody message is known when it is signed only, and no item names one.
    ids.push(item.kind === "message" ? hashMessage(data) : new Uint8Array(0));
    return { item, data };
  });
}
