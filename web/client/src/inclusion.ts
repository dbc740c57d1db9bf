// Committed messages, verified: that the message is what its hash names, who signed it, and that a block contains it.
import { type Message, MessageSchema } from "../gen/schema.js";
import { bytesEqual } from "./bytes.js";
import { type Client, withSteps } from "./client.js";
import type { Proven } from "./evidence.js";
import { isSignedMessage } from "./message.js";
import { verifyInclusion } from "./proof/inclusion.js";
import { create, encode } from "./protobuf.js";
import { after, failed } from "./steps.js";

/** Included is a message that a block contains. */
export interface Included {
  readonly message: Message;
  readonly block: bigint;
  /** The position as the node states it. */
  readonly position: number;
}

/** readMessage returns a committed message by its hash: its hash and signature are valid, and a certified block contains it. */
export async function readMessage(client: Client, hash: Uint8Array): Promise<Proven<Included>> {
  const { message, blockNumber: block } = await client.calls.getMessage({ hash });
  if (message === undefined || !bytesEqual(message.hash, hash) || !isSignedMessage(message)) throw failed("signature", "the node returned another message, or one without a valid signature");
  const signed = { name: "signature", detail: "the message has the requested hash, and its key signed it" };
  const [{ proof, position }, { value: root, evidence }] = await Promise.all([
    client.calls.getMessageInclusionProof({ messageHash: hash, blockNumber: block }),
    client.certify(block - 1n), // the root before the block is in its header
  ]);
  return after([...evidence.steps, signed], () => {
    if (root.header.height !== block) throw failed("height", `header of block ${root.header.height}, want ${block}`);
    const { data, signature, signer } = message;
    const transaction = encode(MessageSchema, create(MessageSchema, { ...(data === undefined ? {} : { data }), hash, signature, signer }));
    verifyInclusion(root.header.dataHash, position, transaction, proof);
    const included = { name: "root", detail: `the message leads to the transactions root in the header of block ${block}` };
    return { value: { message, block, position }, evidence: { ...withSteps(evidence, signed, included), block } };
  });
}
