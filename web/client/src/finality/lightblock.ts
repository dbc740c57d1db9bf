// CometBFT light blocks: a header, the signatures of its commit, and the validators.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesEqual, concat, fromUtf8, hex, utf8 } from "../bytes.js";
import { decoding, failed } from "../steps.js";
import { bytesField, fixedField, Message, messageField, uintField, varint, WireError } from "../wire.js";

/** maxValidators is the maximum number of validators in a light block. */
export const maxValidators = 1000;
/** maxLightBlockSize is the maximum size of a light block, in bytes: enough for maxValidators. */
export const maxLightBlockSize = 256 << 10;

const blockProtocol = 11n;
const maxChainIdLength = 50;
const maxTotalPower = ((1n << 63n) - 1n) / 8n;
const maxSignatureSize = 96;
const hashSize = 32;
const addressSize = 20;
/** The seconds of Go's zero time, the time of a vote that is missing, and of the end of the year 9999. */
const zeroTime = -62135596800n;
const lastTime = 253402300800n;

/** Flags of a signature: the validator did not vote, or voted for the block, or for none. */
export const voteAbsent = 1;
export const voteCommit = 2;
const voteNil = 3;

/** Time is a time with the precision that is signed. */
export interface Time {
  readonly seconds: bigint;
  readonly nanos: number;
}

export interface BlockId {
  readonly hash: Uint8Array;
  readonly partsTotal: bigint;
  readonly partsHash: Uint8Array;
}

export interface Header {
  readonly appVersion: bigint;
  readonly chainId: string;
  readonly height: bigint;
  readonly time: Time;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: Uint8Array;
  readonly dataHash: Uint8Array;
  readonly validatorsHash: Uint8Array;
  readonly nextValidatorsHash: Uint8Array;
  readonly consensusHash: Uint8Array;
  readonly appHash: Uint8Array;
  readonly lastResultsHash: Uint8Array;
  readonly evidenceHash: Uint8Array;
  readonly proposerAddress: Uint8Array;
}

export interface Vote {
  readonly flag: number;
  readonly address: Uint8Array;
  readonly time: Time;
  readonly signature: Uint8Array;
}

export interface Commit {
  readonly height: bigint;
  readonly round: bigint;
  readonly blockId: BlockId;
  readonly votes: readonly Vote[];
}

export interface Validator {
  readonly address: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly power: bigint;
}

/** LightBlock is a decoded light block. Its parts belong together; its signatures are not verified. */
export interface LightBlock {
  readonly header: Header;
  /** The hash of the header. */
  readonly hash: Uint8Array;
  readonly commit: Commit;
  readonly validators: readonly Validator[];
  readonly totalPower: bigint;
}

/** Expected is the chain and the number of a block that is read. */
export interface Expected {
  readonly chainId: string;
  readonly number: bigint;
}

/**
 * decodeLightBlock decodes a light block and checks that the header, the commit and the validators belong together. The steps are
 * those of proof/finality: "bounds", "encoding", "chain", "height", "header".
 */
export function decodeLightBlock(encoded: Uint8Array, expected?: Expected): LightBlock {
  if (encoded.length > maxLightBlockSize) throw failed("bounds", `light block has ${encoded.length} bytes, at most ${maxLightBlockSize}`);
  const { header, commit, validators } = decoding(() => decodeParts(encoded));
  let totalPower = 0n;
  for (const validator of validators) {
    totalPower += validator.power;
    if (totalPower > maxTotalPower) throw failed("encoding", "the voting power of the validators is too large");
  }
  if (expected !== undefined && header.chainId !== expected.chainId) {
    throw failed("chain", `header is of chain ${JSON.stringify(header.chainId)}, not ${JSON.stringify(expected.chainId)}`);
  }
  if (expected !== undefined && header.height !== expected.number) throw failed("height", `header is of block ${header.height}, not ${expected.number}`);
  const hash = hashHeader(header);
  if (commit.height !== header.height) throw failed("header", `header of block ${header.height} with a commit of block ${commit.height}`);
  if (!bytesEqual(hash, commit.blockId.hash)) throw failed("header", `the commit is for block ${hex(commit.blockId.hash)}, the header is ${hex(hash)}`);
  const validatorsHash = hashValidators(validators);
  if (!bytesEqual(validatorsHash, header.validatorsHash)) {
    throw failed("header", `header names validators ${hex(header.validatorsHash)}, the light block has ${hex(validatorsHash)}`);
  }
  return { header, hash, commit, validators, totalPower };
}

function decodeParts(encoded: Uint8Array): { header: Header; commit: Commit; validators: Validator[] } {
  const block = new Message(encoded);
  const signedHeader = required(block.message(1), "signed header");
  const set = required(block.message(2), "validators");
  block.end();
  const signed = new Message(signedHeader);
  const header = required(signed.message(1), "header");
  const commit = required(signed.message(2), "commit");
  signed.end();
  return { header: decodeHeader(header), commit: decodeCommit(commit), validators: decodeValidators(set) };
}

function decodeHeader(encoded: Uint8Array): Header {
  const message = new Message(encoded);
  const version = new Message(message.message(1) ?? new Uint8Array());
  if (version.uint(1) !== blockProtocol) throw new WireError("header has another block protocol");
  const appVersion = version.uint(2);
  version.end();
  const header = {
    appVersion,
    chainId: fromUtf8(message.bytes(2)),
    height: message.int(3),
    time: decodeTime(message.message(4)),
    lastBlockId: decodeBlockId(message.message(5)),
    lastCommitHash: hash(message.bytes(6)),
    dataHash: hash(message.bytes(7)),
    validatorsHash: hash(message.bytes(8)),
    nextValidatorsHash: hash(message.bytes(9)),
    consensusHash: hash(message.bytes(10)),
    appHash: message.bytes(11),
    lastResultsHash: hash(message.bytes(12)),
    evidenceHash: hash(message.bytes(13)),
    proposerAddress: message.bytes(14),
  };
  message.end();
  if (utf8(header.chainId).length > maxChainIdLength) throw new WireError("chain id is too long");
  if (header.height <= 0n) throw new WireError("height is not positive");
  if (header.proposerAddress.length !== addressSize) throw new WireError("address of the proposer has a wrong size");
  if (header.validatorsHash.length === 0) throw new WireError("header names no validators");
  return header;
}

function decodeCommit(encoded: Uint8Array): Commit {
  const message = new Message(encoded, [4]);
  const height = message.int(1);
  const round = message.int(2);
  const blockId = decodeBlockId(message.message(3));
  const votes = message.messages(4);
  message.end();
  if (votes.length > maxValidators) throw failed("bounds", `${votes.length} signatures, at most ${maxValidators}`);
  if (height < 0n || round < 0n || round > 0x7fffffffn) throw new WireError("commit has a wrong height or round");
  if (votes.length === 0) throw new WireError("commit has no signatures");
  return { height, round, blockId, votes: votes.map(decodeVote) };
}

function decodeVote(encoded: Uint8Array): Vote {
  const message = new Message(encoded);
  const vote = { flag: Number(message.uint(1)), address: message.bytes(2), time: decodeTime(message.message(3)), signature: message.bytes(4) };
  message.end();
  if (vote.flag === voteAbsent) {
    if (vote.address.length > 0 || vote.signature.length > 0 || vote.time.seconds !== zeroTime || vote.time.nanos !== 0) {
      throw new WireError("a missing vote has a signature");
    }
    return vote;
  }
  if (vote.flag !== voteCommit && vote.flag !== voteNil) throw new WireError("vote has an unknown flag");
  if (vote.address.length !== addressSize) throw new WireError("address of a validator has a wrong size");
  if (vote.signature.length === 0 || vote.signature.length > maxSignatureSize) throw new WireError("signature has a wrong size");
  return vote;
}

function decodeValidators(encoded: Uint8Array): Validator[] {
  const message = new Message(encoded, [1]);
  const members = message.messages(1);
  const proposer = required(message.message(2), "proposer");
  message.int(3); // the total voting power, which follows from the validators
  message.end();
  if (members.length > maxValidators) throw failed("bounds", `${members.length} validators, at most ${maxValidators}`);
  const validators = members.map(decodeValidator);
  const { address } = decodeValidator(proposer);
  if (!validators.some((validator) => bytesEqual(validator.address, address))) throw new WireError("the proposer is not a validator");
  return validators;
}

function decodeValidator(encoded: Uint8Array): Validator {
  const message = new Message(encoded);
  const address = message.bytes(1);
  const key = new Message(required(message.message(2), "public key"));
  const power = message.int(3);
  message.int(4); // the proposer priority, which is not part of the hash
  message.end();
  const publicKey = key.bytes(1);
  key.end();
  if (publicKey.length !== 32) throw new WireError("validator has no Ed25519 key");
  if (power < 0n) throw new WireError("voting power is negative");
  if (!bytesEqual(address, sha256(publicKey).subarray(0, addressSize))) throw new WireError("address of a validator is not that of its key");
  return { address, publicKey, power };
}

function decodeBlockId(encoded: Uint8Array | undefined): BlockId {
  const message = new Message(encoded ?? new Uint8Array());
  const id = hash(message.bytes(1));
  const parts = new Message(message.message(2) ?? new Uint8Array());
  message.end();
  const partsTotal = parts.uint(1);
  const partsHash = hash(parts.bytes(2));
  parts.end();
  if (partsTotal > 0xffffffffn) throw new WireError("number of parts is too large");
  return { hash: id, partsTotal, partsHash };
}

function decodeTime(encoded: Uint8Array | undefined): Time {
  if (encoded === undefined) return { seconds: zeroTime, nanos: 0 };
  const message = new Message(encoded);
  const seconds = message.int(1);
  const nanos = message.int(2);
  message.end();
  if (seconds < zeroTime || seconds >= lastTime || nanos < 0n || nanos >= 1_000_000_000n) throw new WireError("time is out of range");
  return { seconds, nanos: Number(nanos) };
}

function required(value: Uint8Array | undefined, what: string): Uint8Array {
  if (value === undefined) throw new WireError(`light block lacks its ${what}`);
  return value;
}

function hash(value: Uint8Array): Uint8Array {
  if (value.length !== 0 && value.length !== hashSize) throw new WireError(`hash of ${value.length} bytes`);
  return value;
}

const encodeTime = (time: Time) => concat(uintField(1, time.seconds), uintField(2, BigInt(time.nanos)));

const encodeBlockId = (id: BlockId) =>
  concat(bytesField(1, id.hash), messageField(2, concat(uintField(1, id.partsTotal), bytesField(2, id.partsHash))));

function hashHeader(header: Header): Uint8Array {
  return hashTree([
    concat(uintField(1, blockProtocol), uintField(2, header.appVersion)),
    bytesField(1, utf8(header.chainId)),
    uintField(1, header.height),
    encodeTime(header.time),
    encodeBlockId(header.lastBlockId),
    bytesField(1, header.lastCommitHash),
    bytesField(1, header.dataHash),
    bytesField(1, header.validatorsHash),
    bytesField(1, header.nextValidatorsHash),
    bytesField(1, header.consensusHash),
    bytesField(1, header.appHash),
    bytesField(1, header.lastResultsHash),
    bytesField(1, header.evidenceHash),
    bytesField(1, header.proposerAddress),
  ]);
}

/** hashValidators returns the hash of validators, over their keys and powers. */
export function hashValidators(validators: readonly Validator[]): Uint8Array {
  return hashTree(validators.map(({ publicKey, power }) => concat(messageField(1, bytesField(1, publicKey)), uintField(2, power))));
}

/** hashTree returns the root of CometBFT's Merkle tree (RFC 6962). */
function hashTree(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return sha256(new Uint8Array());
  if (leaves.length === 1) return sha256(concat(Uint8Array.of(0), first));
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  return sha256(concat(Uint8Array.of(1), hashTree(leaves.slice(0, split)), hashTree(leaves.slice(split))));
}

/** voteBytes returns what a validator signs when it votes for the block of a commit. */
export function voteBytes(chainId: string, commit: Commit, vote: Vote): Uint8Array {
  const precommit = 2n;
  const canonical = concat(
    uintField(1, precommit),
    fixedField(2, commit.height),
    fixedField(3, commit.round),
    messageField(4, encodeBlockId(commit.blockId)),
    messageField(5, encodeTime(vote.time)),
    bytesField(6, utf8(chainId)),
  );
  return concat(varint(BigInt(canonical.length)), canonical);
}

/** toDate returns a time with the precision of a Date. */
export function toDate(time: Time): Date {
  return new Date(Number(time.seconds) * 1000 + Math.floor(time.nanos / 1e6));
}
