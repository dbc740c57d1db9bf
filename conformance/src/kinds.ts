// What the type of a message alone says about it (P3).

import { MessageType } from "../gen/makechain/message_pb.js";

// bodyName is the name of the field that carries the body of a type.
export function bodyName(type: number): string {
  return (MessageType[type] ?? "").toLowerCase();
}

// isKnownType tells whether a type of this number exists (P2.5).
export function isKnownType(type: number): boolean {
  return type !== MessageType.NONE && MessageType[type] !== undefined;
}

const projectTypes = new Set([
  MessageType.PROJECT_ARCHIVE, MessageType.PROJECT_METADATA, MessageType.REF_UPDATE, MessageType.REF_DELETE,
  MessageType.COMMIT_BUNDLE, MessageType.COLLABORATOR_ADD, MessageType.COLLABORATOR_REMOVE,
  MessageType.MERGE_REQUEST_ADD, MessageType.MERGE_REQUEST_REMOVE,
]);

// isProjectType tells the messages of the project phase from those of accounts.
export function isProjectType(type: MessageType): boolean {
  return projectTypes.has(type);
}

const custodyTypes = new Set([
  MessageType.SIGNER_ADD, MessageType.SIGNER_REMOVE, MessageType.KEYCHAIN_AUTHORIZE, MessageType.KEYCHAIN_REVOKE,
]);

// isCustodyType tells the messages that carry a custody signature and use up a nonce.
export function isCustodyType(type: MessageType): boolean {
  return custodyTypes.has(type);
}

// needsSigner tells whether the key of the envelope must belong to the account.
export function needsSigner(type: MessageType): boolean {
  return !isCustodyType(type) && type !== MessageType.STORAGE_CLAIM;
}

const agentTypes = new Set([MessageType.REF_UPDATE, MessageType.REF_DELETE, MessageType.COMMIT_BUNDLE]);

// mayBeAgent tells whether a key of the widest scope suffices.
export function mayBeAgent(type: MessageType): boolean {
  return agentTypes.has(type);
}

const timelessTypes = new Set([
  ...custodyTypes, ...agentTypes, MessageType.PROJECT_REMOVE, MessageType.PROJECT_ARCHIVE, MessageType.PROJECT_METADATA,
  MessageType.ACCOUNT_DATA,
]);

// isTimeSensitive tells whether a message must not be old.
export function isTimeSensitive(type: MessageType): boolean {
  return !timelessTypes.has(type);
}
