// Messages: canonical encoding, hash and signature.
import { type Message, type MessageData, MessageDataSchema, MessageSchema, MessageType } from "../gen/schema.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { create, encode, type Init } from "./protobuf.js";

/** MessageInit are the fields of a message: ownerAddress, network, timestamp and body. The type follows from the body. */
export type MessageInit = Omit<Init<MessageData>, "type">;

/** Signer signs the hashes of messages with an Ed25519 key of the account. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(hash: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

type BodyCase = NonNullable<MessageData["body"]["case"]>;

const types: Readonly<Record<BodyCase, MessageType>> = {
  projectCreate: MessageType.PROJECT_CREATE,
  projectMetadata: MessageType.PROJECT_METADATA,
  projectArchive: MessageType.PROJECT_ARCHIVE,
  fork: MessageType.FORK,
  projectRemove: MessageType.PROJECT_REMOVE,
  refUpdate: MessageType.REF_UPDATE,
  refDelete: MessageType.REF_DELETE,
  signerAdd: MessageType.SIGNER_ADD,
  signerRemove: MessageType.SIGNER_REMOVE,
  commitBundle: MessageType.COMMIT_BUNDLE,
  collaboratorAdd: MessageType.COLLABORATOR_ADD,
  collaboratorRemove: MessageType.COLLABORATOR_REMOVE,
  accountData: MessageType.ACCOUNT_DATA,
  verificationAdd: MessageType.VERIFICATION_ADD,
  verificationRemove: MessageType.VERIFICATION_REMOVE,
  storageClaim: MessageType.STORAGE_CLAIM,
  usernameCreate: MessageType.USERNAME_CREATE,
  usernameUpdate: MessageType.USERNAME_UPDATE,
  linkAdd: MessageType.LINK_ADD,
  linkRemove: MessageType.LINK_REMOVE,
  reactionAdd: MessageType.REACTION_ADD,
  reactionRemove: MessageType.REACTION_REMOVE,
  mergeRequestAdd: MessageType.MERGE_REQUEST_ADD,
  mergeRequestRemove: MessageType.MERGE_REQUEST_REMOVE,
  keychainAuthorize: MessageType.KEYCHAIN_AUTHORIZE,
  keychainRevoke: MessageType.KEYCHAIN_REVOKE,
};

/** ed25519Signer returns the signer of an Ed25519 secret of 32 bytes. */
export function ed25519Signer(secret: Uint8Array): Signer {
  return { publicKey: ed25519.getPublicKey(secret), sign: (hash) => ed25519.sign(hash, secret) };
}

/** messageData completes the fields of a message. The timestamp is that of the clock unless it is given. */
export function messageData(init: MessageInit): MessageData {
  const data = create(MessageDataSchema, init);
  const { body } = data;
  if (body.case === undefined) throw new TypeError("message has no body");
  data.type = types[body.case];
  if (init.timestamp === undefined) data.timestamp = Math.floor(Date.now() / 1000);
  return data;
}

/** canonical returns the canonical encoding of a message's fields, which is hashed (P2.2). */
export function canonical(data: MessageData): Uint8Array {
  return encode(MessageDataSchema, data);
}

/** hashMessage returns the hash of a message: BLAKE3 of its canonical encoding. */
export function hashMessage(data: MessageData): Uint8Array {
  return digest(canonical(data));
}

/** signMessage returns a signed message. */
export async function signMessage(init: MessageInit, signer: Signer): Promise<Message> {
  const data = messageData(init);
  const hash = hashMessage(data);
  return create(MessageSchema, { data, hash, signature: await signer.sign(hash), signer: signer.publicKey });
}

/** isSignedMessage reports whether the hash and the signature of a message are valid, whoever signed it. */
export function isSignedMessage(message: Message): boolean {
  if (message.data === undefined || message.signature.length !== 64 || message.signer.length !== 32) return false;
  const hash = hashMessage(message.data);
  if (hash.some((byte, i) => byte !== message.hash[i]) || message.hash.length !== hash.length) return false;
  try {
    return ed25519.verify(message.signature, hash, message.signer, { zip215: true });
  } catch {
    return false; // not a point of the curve
  }
}

/** digest returns the BLAKE3 hash of bytes: the name of a git bundle, or what the chain stores of the message of a commit. */
export function digest(bytes: Uint8Array): Uint8Array {
  return blake3(bytes);
}
