// Checks the authority of a message in a block from the rows of the state: time (P6.4), the signer's key (P3), custody
// signatures (P4.4 to P4.6), claims (P9.10), attestations (P8.2) and permissions in projects. The changes that the message
// makes to the rows are not computed.

import { fromBinary } from "@bufbuild/protobuf";
import { CustodyKeyStatus, KeyScope } from "../gen/makechain/custody_pb.js";
import { MessageType } from "../gen/makechain/message_pb.js";
import { CustodyKeyRowSchema, DelegatedKeyRowSchema } from "../gen/makechain/state_pb.js";
import { attempt } from "./attempt.js";
import { equalBytes, fromHex, toHex, utf8 } from "./bytes.js";
import type { Fields } from "./canonical.js";
import { verifyEd25519 } from "./custody.js";
import {
  claimId, custodyDigest, ethClaimDigest, hostChainIds, networkNames, type Operation, settlementDigest, solClaimText,
} from "./digests.js";
import { bodyName, isTimeSensitive, mayBeAgent, needsSigner } from "./kinds.js";
import { permissionCode } from "./permission.js";
import { parse, parseDirect } from "./signatures.js";

export interface Genesis {
  network: number;
  chain_id: string;
  settlement_chain_id: number;
  contract: string;
  attesters: string[];
  threshold: number;
}

// Context is the state in which a message is checked. Custody nonces are counted outside of the rows, because several
// messages of a block may consume them.
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

// authorityCodes are the codes that authorize returns.
export const authorityCodes: ReadonlySet<string> = new Set([
  "too_early", "too_late", "unknown_signer", "insufficient_scope", "project_not_allowed", "custody_window_closed",
  "custody_nonce_mismatch", "bad_custody_signature", "custody_not_authorized", "bad_claim_signature",
  "wrong_settlement_chain", "insufficient_attestations", "unknown_project", "project_archived", "project_removed", "insufficient_permission",
]);

const drift = 300;

// authorize returns the refusal of a message without authority, or undefined.
export function authorize(data: Fields, signer: string, context: Context): Refusal | undefined {
  const type = data["type"] as MessageType;
  const timestamp = data["timestamp"] as number;
  if (timestamp > context.time + drift) return { stage: "state transition", code: "too_early" };
  if (isTimeSensitive(type) && timestamp + drift < context.time) return { stage: "state transition", code: "too_late" };
  const owner = data["owner_address"] as string;
  const body = data[bodyName(type)] as Fields;
  const code =
    signerCode(type, body, owner, signer, context.rows) ??
    evidenceCode(type, body, owner, context) ??
    permissionCode(type, body, owner, context.rows);
  return code === undefined ? undefined : { stage: "authorization", code };
}

function signerCode(type: MessageType, body: Fields, owner: string, signer: string, rows: Context["rows"]): string | undefined {
  if (!needsSigner(type)) return undefined;
  const value = rows.get(`06${owner}00${signer}`);
  if (value === undefined) return "unknown_signer";
  const key = fromBinary(DelegatedKeyRowSchema, fromHex(value));
  if (key.scope > (mayBeAgent(type) ? KeyScope.AGENT : KeyScope.SIGNING)) return "insufficient_scope";
  if (key.scope !== KeyScope.AGENT || key.allowedProjects.length === 0) return undefined;
  const allowed = key.allowedProjects.some((project) => toHex(project) === body["project_id"]);
  return allowed ? undefined : "project_not_allowed";
}

// Custody operations and the field with their signature.
const custodyOperations = new Map<MessageType, [op: Operation, signature: string]>([
  [MessageType.SIGNER_ADD, ["signer_add", "custody_signature"]],
  [MessageType.SIGNER_REMOVE, ["signer_remove", "custody_signature"]],
  [MessageType.KEYCHAIN_AUTHORIZE, ["authorize", "authorization_signature"]],
  [MessageType.KEYCHAIN_REVOKE, ["revoke", "revocation_signature"]],
]);

// evidenceCode checks the signatures inside a body.
function evidenceCode(type: MessageType, body: Fields, owner: string, context: Context): string | undefined {
  const custody = custodyOperations.get(type);
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
  const requester = body["request_owner_address"] as string;
  return signatureCode(digest("signer_request"), body["request_signature"] as string, requester, context);
}

// signatureCode returns why a custody signature does not authorize an operation of an account (P4.4), or undefined.
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
  const [chain, log] = [body["settlement_chain_id"] as number, (body["settlement_log_index"] ?? 0) as number];
  if (chain !== genesis.settlement_chain_id) return "wrong_settlement_chain";
  const claim = claimId(chain, fromHex(body["settlement_tx_hash"] as string), log);
  const digest = settlementDigest({
    network: genesis.network,
    chainId: genesis.chain_id,
    contract: fromHex(genesis.contract),
    claim,
    owner: fromHex(owner),
    actor: fromHex(body["actor"] as string),
    units: body["units"] as number,
    timestamp: (body["settlement_timestamp"] ?? 0) as number,
  });
  const good = (body["attestations"] as { attester: string; signature: string }[]).filter(
    ({ attester, signature }) =>
      genesis.attesters.includes(attester) && verifyEd25519(fromHex(signature), digest, fromHex(attester)),
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
