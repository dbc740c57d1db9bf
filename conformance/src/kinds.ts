// Properties of message types (P3).

import { MessageType } from "../gen/makechain/message_pb.js";

// bodyName returns the name of the body field of a type.
export function bodyName(type: number): string {
  return (MessageType[type] ?? "").toLowerCase();
}

// isKnownType reports whether a type of this number exists (P2.5).
export function isKnownType(type: number): boolean {
  return type !== MessageType.NONE && MessageType[type] !== undefined;
}

const projectTypes = new Set([
  MessageType.PROJECT_ARCHIVE, MessageType.PROJECT_METADATA, MessageType.REF_UPDATE, MessageType.REF_DELETE,
  MessageType.COMMIT_BUNDLE, MessageType.COLLABORATOR_ADD, MessageType.COLLABORATOR_REMOVE,
  MessageType.MERGE_REQUEST_ADD, MessageType.MERGE_REQUEST_REMOVE,
]);

// isProjectType reports whether a type belongs to the project phase.
export function isProjectType(type: MessageType): boolean {
  return projectTypes.has(type);
}

const custodyTypes = new Set([
  MessageType.SIGNER_ADD, MessageType.SIGNER_REMOVE, MessageType.KEYCHAIN_AUTHORIZE, MessageType.KEYCHAIN_REVOKE,
]);

// isCustodyType reports whether messages of a type have a custody signature and consume a nonce.
export function isCustodyType(type: MessageType): boolean {
  return custodyTypes.has(type);
}

// needsSigner reports whether the key of the envelope must belong to the account.
export function needsSigner(type: MessageType): boolean {
  return !isCustodyType(type) && type !== MessageType.STORAGE_CLAIM;
}

const agentTypes = new Set([MessageType.REF_UPDATE, MessageType.REF_DELETE, MessageType.COMMIT_BUNDLE]);

// mayBeAgent reports whether a key of the widest scope suffices.
export function mayBeAgent(type: MessageType): boolean {
  return agentTypes.has(type);
}

const timelessTypes = new Set([
  ...custodyTypes, ...agentTypes, MessageType.PROJECT_REMOVE, MessageType.PROJECT_ARCHIVE, MessageType.PROJECT_METADATA,
  MessageType.ACCOUNT_DATA,
]);

// isTimeSensitive reports whether a message must not be old.
export function isTimeSensitive(type: MessageType): boolean {
  return !timelessTypes.has(type);
}
