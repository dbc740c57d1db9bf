// Signatures of validators on a light block.
import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesEqual, hex } from "../bytes.js";
import { failed } from "../steps.js";
import { type LightBlock, type Validator, voteBytes, voteCommit } from "./lightblock.js";

/** Trust is a validator set that a client trusts, and a block that it signs. */
export interface Trust {
  readonly chainId: string;
  /** The hash of the validators, over their public keys and powers. */
  readonly validatorsHash: Uint8Array;
  /** The number of a block that this set signs, where a light client can start; 0 when it is unknown. */
  readonly blockNumber: bigint;
}

/** Tally is the result of verifying signatures. Verification stops when the power suffices. */
export interface Tally {
  readonly signed: number;
  readonly power: bigint;
}

/**
 * verifySignatures verifies that validators with more than two thirds of the power of a light block signed it. A wrong signature
 * before that fails the step "signatures", too little power "power".
 */
export function verifySignatures(block: LightBlock): Tally {
  const { validators, commit, totalPower } = block;
  if (validators.length !== commit.votes.length) {
    throw failed("signatures", `${commit.votes.length} signatures of ${validators.length} validators`);
  }
  const signers = commit.votes.map((vote, i) => {
    const validator = validators[i];
    if (vote.flag !== voteCommit || validator === undefined) return undefined;
    if (!bytesEqual(validator.address, vote.address)) throw failed("signatures", `signature ${i} is of another validator`);
    return validator;
  });
  return tally(block, signers, (totalPower * 2n) / 3n);
}

/**
 * verifyTrusting verifies that validators with more than one third of the power of a trusted set signed a light block of another
 * one. It fails the step "power" when too many validators changed.
 */
export function verifyTrusting(trusted: LightBlock, block: LightBlock): Tally {
  const byAddress = new Map(trusted.validators.map((validator) => [hex(validator.address), validator]));
  const seen = new Set<string>();
  const signers = block.commit.votes.map((vote) => {
    const address = hex(vote.address);
    const validator = vote.flag === voteCommit ? byAddress.get(address) : undefined;
    if (validator === undefined) return undefined;
    if (seen.has(address)) throw failed("signatures", `validator ${address} signed twice`);
    seen.add(address);
    return validator;
  });
  return tally(block, signers, trusted.totalPower / 3n);
}

/** tally verifies signatures until the validators have more power than needed. signers has the validator of each counted vote. */
function tally(block: LightBlock, signers: readonly (Validator | undefined)[], needed: bigint): Tally {
  let available = 0n;
  for (const signer of signers) available += signer?.power ?? 0n;
  if (available <= needed) throw failed("power", `signatures have a voting power of ${available}, more than ${needed} is needed`);
  let signed = 0;
  let power = 0n;
  for (const [i, signer] of signers.entries()) {
    const vote = block.commit.votes[i];
    if (signer === undefined || vote === undefined) continue;
    if (!isSignature(vote.signature, voteBytes(block.header.chainId, block.commit, vote), signer.publicKey)) {
      throw failed("signatures", `signature ${i} is not of validator ${hex(signer.address)}`);
    }
    signed++;
    power += signer.power;
    if (power > needed) break;
  }
  return { signed, power };
}

/** isSignature reports whether a signature is valid by the rules of ZIP-215, which CometBFT uses. */
function isSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: true });
  } catch {
    return false; // not a point of the curve
  }
}
