// Custody: digests, signatures of every form, key ids and claims (P4, P8.2, P9.10).

import { ed25519 } from "@noble/curves/ed25519.js";
import { attempt } from "./attempt.js";
import { type Bytes, equalBytes, fromHex, toHex, utf8 } from "./bytes.js";
import type { Fields } from "./canonical.js";
import { claimId, custodyDigest, ethClaimDigest, type Operation, settlementDigest, settlementDigestV1, solClaimText } from "./digests.js";
import { type Report, same } from "./report.js";
import { keyIdOf, parseDirect, publicPoint, recoverSigner, signAgain } from "./signatures.js";

interface OperationVector {
  op: Operation;
  network: number;
  owner: string;
  body: Fields;
  digest: string;
}

interface SignatureVector {
  name: string;
  digest: string;
  signature: string;
  valid: boolean;
  // The secret of a valid signature; all signatures are deterministic and can be reproduced from it.
  secret?: string;
  key_id?: string;
  signature_type?: number;
  wrapper_account?: string;
}

interface KeyIdVector {
  name: string;
  signature_type: number;
  public_key: string;
  valid: boolean;
  key_id?: string;
}

interface EthClaimVector {
  name?: string;
  network: string;
  chain_id: number;
  owner: string;
  address: string;
  digest: string;
  signature: string;
  valid?: boolean;
}

interface SolClaimVector {
  name?: string;
  network?: string;
  owner: string;
  text: string;
  address: string;
  signature: string;
  valid?: boolean;
}

interface SettlementVector {
  name?: string;
  network: number;
  chain_id: string;
  settlement_chain_id: number;
  contract: string;
  tx_hash: string;
  log_index: number;
  claim_id: string;
  owner: string;
  actor: string;
  units: number;
  settlement_timestamp: number;
  digest: string;
  attester: string;
  signature: string;
  valid?: boolean;
}

// SettlementV1Vector is an attestation of rules version 3, which fixed the settlement chain by network.
type SettlementV1Vector = Omit<SettlementVector, "chain_id" | "settlement_chain_id" | "contract"> & { chain_id: number };

export interface CustodyFile {
  operations: OperationVector[];
  signatures: SignatureVector[];
  key_ids?: KeyIdVector[];
  eth_claims: EthClaimVector[];
  sol_claim?: SolClaimVector;
  sol_claims?: SolClaimVector[];
  settlement?: SettlementV1Vector;
  settlements?: SettlementVector[];
}

export function checkCustody(report: Report, title: string, file: CustodyFile): void {
  file.operations.forEach((vector, i) => {
    report.check(`${title}: operation ${i} ${vector.op}`, () => checkOperation(vector));
  });
  for (const vector of file.signatures) {
    report.check(`${title}: signature ${vector.name}`, () => checkSignature(vector));
  }
  for (const vector of file.key_ids ?? []) {
    report.check(`${title}: key id ${vector.name}`, () => checkKeyId(vector));
  }
  file.eth_claims.forEach((vector, i) => {
    report.check(`${title}: eth claim ${vector.name ?? i}`, () => checkEthClaim(vector));
  });
  oneOrMore(file.sol_claim, file.sol_claims).forEach((vector, i) => {
    report.check(`${title}: sol claim ${vector.name ?? i}`, () => checkSolClaim(vector));
  });
  for (const vector of oneOrMore(file.settlement, undefined)) {
    report.check(`${title}: settlement v1`, () => checkSettlementV1(vector));
  }
  (file.settlements ?? []).forEach((vector, i) => {
    report.check(`${title}: settlement ${vector.name ?? i}`, () => checkSettlement(vector));
  });
}

function oneOrMore<T>(one: T | undefined, more: T[] | undefined): T[] {
  return [...(one === undefined ? [] : [one]), ...(more ?? [])];
}

function checkOperation(vector: OperationVector): void {
  const digest = custodyDigest(vector.op, vector.network, fromHex(vector.owner), vector.body);
  same(toHex(digest), vector.digest, "digest");
}

function checkSignature(vector: SignatureVector): void {
  const digest = fromHex(vector.digest);
  const signature = fromHex(vector.signature);
  const signer = attempt(() => recoverSigner(digest, signature));
  same(signer !== undefined, vector.valid, "valid");
  if (!signer) return;
  same(toHex(signer.keyId), vector.key_id, "key id");
  same(signer.type, vector.signature_type, "signature type");
  same(signer.wrapperAccount && toHex(signer.wrapperAccount), vector.wrapper_account, "wrapper account");
  if (vector.secret !== undefined) {
    same(toHex(signAgain(digest, signature, fromHex(vector.secret))), vector.signature, "signed again");
  }
}

function checkKeyId(vector: KeyIdVector): void {
  const point = attempt(() => publicPoint(vector.signature_type, fromHex(vector.public_key)));
  same(point !== undefined, vector.valid, "valid");
  if (point) same(toHex(keyIdOf(point)), vector.key_id, "key id");
}

function checkEthClaim(vector: EthClaimVector): void {
  const address = fromHex(vector.address);
  const digest = ethClaimDigest(vector.network, vector.chain_id, fromHex(vector.owner), address);
  same(toHex(digest), vector.digest, "digest");
  const keyId = attempt(() => parseDirect(fromHex(vector.signature)).keyIdFor(digest));
  same(keyId !== undefined && equalBytes(keyId, address), vector.valid ?? true, "valid");
}

function checkSolClaim(vector: SolClaimVector): void {
  const text = solClaimText(vector.network ?? "devnet", fromHex(vector.owner));
  same(text, vector.text, "text");
  const valid = verifyEd25519(fromHex(vector.signature), utf8(text), fromHex(vector.address));
  same(valid, vector.valid ?? true, "valid");
}

function checkSettlement(vector: SettlementVector): void {
  const claim = claimId(vector.settlement_chain_id, fromHex(vector.tx_hash), vector.log_index);
  same(toHex(claim), vector.claim_id, "claim id");
  const digest = settlementDigest({
    network: vector.network,
    chainId: vector.chain_id,
    contract: fromHex(vector.contract),
    claim,
    owner: fromHex(vector.owner),
    actor: fromHex(vector.actor),
    units: vector.units,
    timestamp: vector.settlement_timestamp,
  });
  same(toHex(digest), vector.digest, "digest");
  const valid = verifyEd25519(fromHex(vector.signature), digest, fromHex(vector.attester));
  same(valid, vector.valid ?? true, "valid");
}

function checkSettlementV1(vector: SettlementV1Vector): void {
  const claim = claimId(vector.chain_id, fromHex(vector.tx_hash), vector.log_index);
  same(toHex(claim), vector.claim_id, "claim id");
  const digest = settlementDigestV1({
    network: vector.network,
    claim,
    owner: fromHex(vector.owner),
    actor: fromHex(vector.actor),
    units: vector.units,
    timestamp: vector.settlement_timestamp,
  });
  same(toHex(digest), vector.digest, "digest");
  same(verifyEd25519(fromHex(vector.signature), digest, fromHex(vector.attester)), vector.valid ?? true, "valid");
}

// verifyEd25519 follows ZIP-215 and returns false for malformed input.
export function verifyEd25519(signature: Bytes, message: Bytes, key: Bytes): boolean {
  return attempt(() => ed25519.verify(signature, message, key, { zip215: true })) ?? false;
}
