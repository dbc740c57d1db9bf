// Changes of keys, which the passkey of the session authorizes.
import { bytesEqual, type Client, CustodySignatureType, custodyKeyId, custodyWindow, type KeyScope, type MessageData, type MessageInit, passkeyCustody, rows, signCustody, wrapCustody } from "makechain";
import type { MessageBody } from "../actions/operation.js";
import { assertPasskey } from "./passkey.js";
import type { Session } from "./session.js";

/** CustodyChange is a change of keys before it is signed. */
export interface CustodyChange {
  /** The body without its signatures. */
  readonly body: MessageBody;
  /** How many signatures of the passkey it needs. */
  readonly signatures: number;
}

/** permit returns the next nonce of the account, proven, and the validity period of a signature that is made now. */
async function permit(client: Client, session: Session) {
  const { value } = await client.row(rows.account, session.account);
  return { nonce: value?.custodyNonce ?? 0n, ...custodyWindow() };
}

/** SignerGrant is a delegated key and what it may do. */
export interface SignerGrant {
  readonly key: Uint8Array;
  readonly scope: KeyScope;
  /** The projects of an AGENT key; empty for all. */
  readonly allowedProjects: Uint8Array[];
}

/** signerAdd returns the change that registers a delegated key. It has two signatures: of the account, and of the requester, which is the same. */
export async function signerAdd(client: Client, session: Session, grant: SignerGrant): Promise<CustodyChange> {
  return { body: { case: "signerAdd", value: { ...grant, requestOwnerAddress: session.account, ...(await permit(client, session)) } }, signatures: 2 };
}

/** signerRemove returns the change that revokes a delegated key. */
export async function signerRemove(client: Client, session: Session, key: Uint8Array): Promise<CustodyChange> {
  return { body: { case: "signerRemove", value: { key, ...(await permit(client, session)) } }, signatures: 1 };
}

/** NewCustodyKey is a custody key to authorize. */
export interface NewCustodyKey {
  readonly type: CustodySignatureType;
  readonly publicKey: Uint8Array;
  readonly keyId: Uint8Array;
  readonly admin: boolean;
  /** Unix seconds; 0 for never, which admin keys must have. */
  readonly expiresAt: bigint;
}

/** authorize returns the change that adds a custody key. */
export async function authorize(client: Client, session: Session, { type: signatureType, ...key }: NewCustodyKey): Promise<CustodyChange> {
  return { body: { case: "keychainAuthorize", value: { ...key, signatureType, ...(await permit(client, session)) } }, signatures: 1 };
}

/** revoke returns the change that revokes a custody key for good. */
export async function revoke(client: Client, session: Session, keyId: Uint8Array): Promise<CustodyChange> {
  return { body: { case: "keychainRevoke", value: { keyId, ...(await permit(client, session)) } }, signatures: 1 };
}

/** signChange asks the passkey for the signatures of a change. */
export function signChange(session: Session, data: MessageData): Promise<MessageInit> {
  const { passkey, account } = session;
  const root = passkeyCustody(passkey.publicKey, (challenge) => assertPasskey({ challenge, id: passkey.id }));
  return signCustody(data, bytesEqual(root.keyId, account) ? root : wrapCustody(root, account));
}

/** parsePublicKey returns the custody key of a public key of a wallet, or undefined if its length or first byte is wrong. */
export function parsePublicKey(kind: "secp256k1" | "p256", bytes: Uint8Array): Pick<NewCustodyKey, "type" | "publicKey" | "keyId"> | undefined {
  const point = bytes.length === 65 && bytes[0] === 4 ? bytes.slice(1) : bytes;
  if (point.length !== 64) return undefined;
  const isEthereum = kind === "secp256k1";
  const publicKey = isEthereum ? Uint8Array.of(4, ...point) : point;
  return { type: isEthereum ? CustodySignatureType.SECP256K1 : CustodySignatureType.P256, publicKey, keyId: custodyKeyId(point) };
}
