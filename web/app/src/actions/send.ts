// Signing and submitting the messages of an operation.
import { type Client, signMessage } from "makechain";
import { plural } from "../format.js";
import { signChange } from "../session/custody.js";
import type { Session } from "../session/session.js";
import type { Prepared } from "./operation.js";

/** Sent is how far an operation got, so that a second attempt continues instead of sending messages twice. */
export interface Sent {
  /** How many of the items are done or submitted. */
  items: number;
  /** The hashes of the messages, by item; empty for items without one. */
  readonly ids: Uint8Array[];
}

/**
 * send signs and submits the items one after another, and returns the block of the last one. Messages wait for commitment only before a step
 * that needs them and at the end: the node admits a message that depends on pending ones of the same account.
 */
export async function send(client: Client, session: Session, prepared: readonly Prepared[], sent: Sent, show: (text: string) => void): Promise<bigint> {
  const committed = async () => {
    let block = 0n;
    for (const id of sent.ids) {
      if (id.length > 0) block = await client.awaitCommitted(id);
    }
    return block;
  };
  for (const { item, data } of prepared.slice(sent.items)) {
    const place = prepared.length === 1 ? "" : `${sent.items + 1} of ${prepared.length}: `;
    if (item.kind === "step" || item.kind === "custody") await committed();
    if (item.kind === "step") {
      show(`${place}${item.words}`);
      await item.run(sent.ids);
      sent.ids.push(new Uint8Array(0));
    } else if (data !== undefined) {
      if (item.kind === "custody") show(`${place}Confirm with your passkey, ${plural(item.change.signatures, "time")}.`);
      const complete = item.kind === "custody" ? await signChange(session, data) : data;
      show(`${place}Sending.`);
      sent.ids.push(await client.submit(await signMessage(complete, session.signer)));
    }
    sent.items++;
  }
  show("Sent. Waiting for the block.");
  return committed();
}
