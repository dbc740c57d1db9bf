// Authority of a message in a block, from the rows of the state: time (P6.4), the signer's key (P3), custody
// signatures (P4.4 to P4.6), claims (P9.10) and attestations (P8.2). What a message then does to the rows is
// not computed here.

import { fromBinary } from "@bufbuild/protobuf";
import { CustodyKeyStatus, KeyScope } from "../gen/makechain/custody_pb.js";
import { MessageType } from "../gen/makechain/message_pb.js";
import { CustodyKeyRowSchema, DelegatedKeyRowSchema } from "../gen/makechain/state_pb.js";
import { attempt } from "./attempt.js";
import { equalBytes, fromHex, toHex, utf8 } from "./bytes.js";
import type { Fields } from "./canonical.js";
import { verifyEd25519 } from "./custody.js";
import { claimId, custodyDigest, ethClaimDigest, hostChainIds, networkNames, type Operation, settlementDigest, solClaimText } from "./digests.js";
import { parse, parseDirect } from "./signatures.js";
import { bodyName, isProjectType } from "./validation.js";

export interface Genesis {
  network: number;
  attesters: string[];
  threshold: number;
}

// Context is the state that a message meets. Custody nonces are counted beside the rows, because several
// messages of a block may use them up.
export interface Context {
  genesis: Genesis;
  time: number;
  rows: ReadonlyMap<string, string>;
  nonces: ReadonlyMap<string, number>;
}

export interface Refusal {
  stage: string;
  code: string;
}

// authorityCodes are the codes that authorize answers with.
export const authorityCodes: ReadonlySet<string> = new Set([
  "too_early", "too_late", "unknown_signer", "insufficient_scope", "project_not_allowed", "custody_window_closed",
  "custody_nonce_mismatch", "bad_custody_signature", "custody_not_authorized", "bad_claim_signature",
  "insufficient_attestations",
]);

const drift = 300;

// authorize answers why a message has no authority, or undefined when it has.
export function authorize(data: Fields, signer: string, context: Context): Refusal | undefined {
  const type = data["type"] as MessageType;
  const timestamp = data["timestamp"] as number;
  if (timestamp > context.time + drift) return { stage: "state transition", code: "too_early" };
  if (!timeless.has(type) && timestamp + drift < context.time) return { stage: "state transition", code: "too_late" };
  const code = signerCode(type, data, signer, context) ?? evidenceCode(type, data, context);
  return code === undefined ? undefined : { stage: "authorization", code };
}

// Types whose age does not matter: those without the clock in the table of P3.
const timeless = new Set([
  MessageType.PROJECT_REMOVE, MessageType.PROJECT_ARCHIVE, MessageType.PROJECT_METADATA, MessageType.REF_UPDATE,
  MessageType.REF_DELETE, MessageType.COMMIT_BUNDLE, MessageType.ACCOUNT_DATA, MessageType.SIGNER_ADD,
  MessageType.SIGNER_REMOVE, MessageType.KEYCHAIN_AUTHORIZE, MessageType.KEYCHAIN_REVOKE,
]);

const agentTypes = new Set([MessageType.REF_UPDATE, MessageType.REF_DELETE, MessageType.COMMIT_BUNDLE]);

const custodyTypes = new Map<MessageType, [op: Operation, signature: string]>([
  [MessageType.SIGNER_ADD, ["signer_add", "custody_signature"]],
  [MessageType.SIGNER_REMOVE, ["signer_remove", "custody_signature"]],
  [MessageType.KEYCHAIN_AUTHORIZE, ["authorize", "authorization_signature"]],
  [MessageType.KEYCHAIN_REVOKE, ["revoke", "revocation_signature"]],
]);

export function isCustodyType(type: MessageType): boolean {
  return custodyTypes.has(type);
}

function signerCode(type: MessageType, data: Fields, signer: string, context: Context): string | undefined {
  if (custodyTypes.has(type) || type === MessageType.STORAGE_CLAIM) return undefined;
  const value = context.rows.get(`06${data["owner_address"] as string}00${signer}`);
  if (value === undefined) return "unknown_signer";
  const key = fromBinary(DelegatedKeyRowSchema, fromHex(value));
  if (key.scope > (agentTypes.has(type) ? KeyScope.AGENT : KeyScope.SIGNING)) return "insufficient_scope";
  if (key.scope !== KeyScope.AGENT || key.allowedProjects.length === 0) return undefined;
  const project = isProjectType(type) ? (data[bodyName(type)] as Fields)["project_id"] : undefined;
  return key.allowedProjects.some((allowed) => toHex(allowed) === project) ? undefined : "project_not_allowed";
}

// evidenceCode checks the signatures that a body carries.
function evidenceCode(type: MessageType, data: Fields, context: Context): string | undefined {
  const body = data[bodyName(type)] as Fields;
  const owner = data["owner_address"] as string;
  const custody = custodyTypes.get(type);
  if (custody) return custodyCode(custody, body, owner, context);
  if (type === MessageType.STORAGE_CLAIM) return claimCode(body, owner, context);
  if (type === MessageType.VERIFICATION_ADD) return verificationCode(body, owner, context);
  return undefined;
}

function custodyCode([op, field]: [Operation, string], body: Fields, owner: string, context: Context): string | undefined {
  if (Number(body["valid_after"]) > context.time) return "too_early";
  if (Number(body["valid_before"]) < context.time) return "custody_window_closed";
  if (Number(body["nonce"] ?? 0) !== (context.nonces.get(owner) ?? 0)) return "custody_nonce_mismatch";
  const digest = (operation: Operation) => custodyDigest(operation, context.genesis.network, fromHex(owner), body);
  const code = signatureCode(digest(op), body[field] as string, owner, context);
  if (code !== undefined || op !== "signer_add") return code;
  return signatureCode(digest("signer_request"), body["request_signature"] as string, body["request_owner_address"] as string, context);
}

// signatureCode says why a custody signature does not speak for an account (P4.4).
function signatureCode(digest: Uint8Array, signature: string, owner: string, context: Context): string | undefined {
  const parsed = parse(fromHex(signature));
  const wrapper = parsed.wrapperAccount && toHex(parsed.wrapperAccount);
  if (wrapper !== undefined && wrapper !== owner) return "custody_not_authorized";
  const keyId = attempt(() => toHex(parsed.keyIdFor(digest)));
  if (keyId === undefined) return "bad_custody_signature";
  if (keyId === owner) return undefined;
  const value = context.rows.get(`06${owner}01${keyId}`);
  if (wrapper === undefined || value === undefined) return "custody_not_authorized";
  const key = fromBinary(CustodyKeyRowSchema, fromHex(value));
  const good =
    key.status === CustodyKeyStatus.ACTIVE && key.admin && key.signatureType === parsed.type &&
    (key.expiresAt === 0n || key.expiresAt > BigInt(context.time));
  return good ? undefined : "custody_not_authorized";
}

function claimCode(body: Fields, owner: string, { genesis }: Context): string | undefined {
  const claim = claimId(body["settlement_chain_id"] as number, fromHex(body["settlement_tx_hash"] as string), (body["settlement_log_index"] ?? 0) as number);
  const digest = settlementDigest({
    network: genesis.network,
    claim,
    owner: fromHex(owner),
    actor: fromHex(body["actor"] as string),
    units: body["units"] as number,
    timestamp: (body["settlement_timestamp"] ?? 0) as number,
  });
  const good = (body["attestations"] as { attester: string; signature: string }[]).filter(
    ({ attester, signature }) => genesis.attesters.includes(attester) && verifyEd25519(fromHex(signature), digest, fromHex(attester)),
  );
  return good.length >= genesis.threshold ? undefined : "insufficient_attestations";
}

const ETH = 1;

function verificationCode(body: Fields, owner: string, { genesis }: Context): string | undefined {
  const network = networkNames[genesis.network] ?? "";
  const [address, signature] = [fromHex(body["address"] as string), fromHex(body["claim_signature"] as string)];
  const ethereum = () => {
    const digest = ethClaimDigest(network, hostChainIds[genesis.network] ?? 0, fromHex(owner), address);
    return equalBytes(parseDirect(signature).keyIdFor(digest), address);
  };
  const solana = () => verifyEd25519(signature, utf8(solClaimText(network, fromHex(owner))), address);
  return attempt(body["verification_type"] === ETH ? ethereum : solana) === true ? undefined : "bad_claim_signature";
}
