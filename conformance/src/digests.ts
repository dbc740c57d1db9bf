// The data that wallets sign: the five custody digests (P4.1) and the texts and digests of claims (P8.2, P9.10).

import { keccak_256 } from "@noble/hashes/sha3.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { type Hex, hashTypedData } from "viem";
import { type Bytes, bigEndian, concat, fromHex, littleEndian, toHex, utf8, varint } from "./bytes.js";
import type { Fields, Value } from "./canonical.js";

export type Operation = "authorize" | "revoke" | "signer_add" | "signer_remove" | "signer_request";

const payloads: Record<Operation, (network: number, owner: Bytes, body: Fields) => Bytes> = {
  authorize: (network, owner, body) =>
    concat(
      Uint8Array.of(1, 1), bigEndian(network, 4), owner, bytes(body["key_id"]), u(body["signature_type"], 1),
      prefixed(body["public_key"]), bool(body["admin"]), u(body["expires_at"], 8), window(body), prefixed(body["witness"]),
    ),
  revoke: (network, owner, body) =>
    concat(Uint8Array.of(2, 1), bigEndian(network, 4), owner, bytes(body["key_id"]), window(body), prefixed(body["witness"])),
  signer_add: (network, owner, body) => concat(Uint8Array.of(3, 0), signer(network, owner, body)),
  signer_remove: (network, owner, body) =>
    concat(Uint8Array.of(4, 0), bigEndian(network, 4), owner, bytes(body["key"]), window(body)),
  signer_request: (network, owner, body) => concat(Uint8Array.of(5), signer(network, owner, body)),
};

export function custodyPayload(op: Operation, network: number, owner: Bytes, body: Fields): Bytes {
  return payloads[op](network, owner, body);
}

export function custodyDigest(op: Operation, network: number, owner: Bytes, body: Fields): Bytes {
  return keccak_256(custodyPayload(op, network, owner, body));
}

function signer(network: number, owner: Bytes, body: Fields): Bytes {
  const projects = ((body["allowed_projects"] ?? []) as string[]).map(fromHex);
  return concat(
    bigEndian(network, 4), owner, bytes(body["request_owner_address"]), bytes(body["key"]), u(body["scope"], 4),
    window(body), varint(projects.length), ...projects,
  );
}

function window(body: Fields): Bytes {
  return concat(u(body["valid_after"], 8), u(body["valid_before"], 8), u(body["nonce"], 8));
}

// An absent field has its default value, as on the wire.
function bytes(value: Value | undefined): Bytes {
  return fromHex((value ?? "") as string);
}

function prefixed(value: Value | undefined): Bytes {
  const content = bytes(value);
  return concat(varint(content.length), content);
}

function u(value: Value | undefined, size: number): Bytes {
  return bigEndian(BigInt((value ?? 0) as number | string), size);
}

function bool(value: Value | undefined): Bytes {
  return Uint8Array.of(value === true ? 1 : 0);
}

// hostChainIds are the ids of the chains of wallets, by network.
export const hostChainIds: Record<number, number> = { 1: 4217, 2: 42431, 3: 42431 };
export const networkNames: Record<number, string> = { 1: "mainnet", 2: "testnet", 3: "devnet" };

const ethAddressVerification = 1;

export function ethClaimDigest(network: string, chainId: number, owner: Bytes, address: Bytes): Bytes {
  const digest = hashTypedData({
    domain: { name: "Makechain", version: "1", chainId },
    types: {
      VerificationClaim: [
        { name: "owner", type: "address" },
        { name: "ethAddress", type: "address" },
        { name: "chainId", type: "uint256" },
        { name: "verificationType", type: "uint32" },
        { name: "network", type: "string" },
      ],
    },
    primaryType: "VerificationClaim",
    message: {
      owner: `0x${toHex(owner)}` as Hex,
      ethAddress: `0x${toHex(address)}` as Hex,
      chainId: BigInt(chainId),
      verificationType: ethAddressVerification,
      network,
    },
  });
  return fromHex(digest.slice(2));
}

export function solClaimText(network: string, owner: Bytes): string {
  return `makechain:verify:${network}:${toHex(owner)}`;
}

export function claimId(chainId: number | string, txHash: Bytes, logIndex: number): Bytes {
  const domain = utf8("makechain:storage-claim:v1");
  return blake3(concat(domain, littleEndian(BigInt(chainId), 8), txHash, littleEndian(logIndex, 4)));
}

export interface Settlement {
  network: number;
  chainId: string;
  contract: Bytes;
  claim: Bytes;
  owner: Bytes;
  actor: Bytes;
  units: number;
  timestamp: number | string;
}

export function settlementDigest(s: Settlement): Bytes {
  const chainId = utf8(s.chainId);
  return blake3(
    concat(
      utf8("makechain:settlement:v2"), littleEndian(s.network, 4), Uint8Array.of(chainId.length), chainId, s.contract, s.claim, s.owner, s.actor,
      littleEndian(s.units, 4), littleEndian(BigInt(s.timestamp), 8),
    ),
  );
}

// settlementDigestV1 is the digest of rules version 3, which has neither the chain id nor the contract.
export function settlementDigestV1(s: Omit<Settlement, "chainId" | "contract">): Bytes {
  return blake3(
    concat(
      utf8("makechain:settlement:v1"), littleEndian(s.network, 4), s.claim, s.owner, s.actor,
      littleEndian(s.units, 4), littleEndian(BigInt(s.timestamp), 8),
    ),
  );
}
