// Messages: canonical bytes, hash, signer, signature and transaction, computed from the fields alone.

import { ed25519 } from "@noble/curves/ed25519.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { MessageDataSchema, MessageSchema, MessageType } from "../gen/makechain/message_pb.js";
import { type Bytes, fromHex, toHex } from "./bytes.js";
import { decode, encode, type Fields } from "./canonical.js";
import { encodeByLibrary, reencode } from "./library.js";
import { type Report, same } from "./report.js";
import { check, checkSubmission, type Result, resultText } from "./result.js";

// SignedMessage is a message with its fields and all values derived from them.
export interface SignedMessage {
  type: string;
  data: Fields;
  canonical: string;
  hash: string;
  // Omitted for signatures that were made without a secret.
  secret?: string;
  signer: string;
  signature: string;
}

// CheckedMessage adds the encoded transaction of a block, or the message submitted to the API, and its result. Only the
// transactions that verification refuses may differ from the one derived from the fields, which are omitted where no valid
// message exists.
export interface CheckedMessage extends Partial<SignedMessage> {
  name: string;
  transaction?: string;
  // Appended to transaction, so that a transaction that is too large need not be in the file.
  tail?: { byte: string; count: number };
  submission?: string;
  verdict: Result;
}

export interface MessageFile {
  network: number;
  messages: CheckedMessage[];
}

export function checkSigned(report: Report, title: string, messages: SignedMessage[]): void {
  messages.forEach((vector, i) => {
    report.check(`${title} ${i} ${vector.type}`, () => void recompute(vector));
  });
}

export function checkMessages(report: Report, title: string, file: MessageFile): void {
  for (const vector of file.messages) {
    report.check(`${title}: ${vector.name}`, () => checkMessage(vector, file.network));
  }
  report.check(`${title}: every type is accepted at least once`, () => {
    const accepted = new Set(file.messages.filter((m) => m.verdict === "accepted").map((m) => m.type));
    same(accepted.size, Object.values(MessageType).filter((t) => typeof t === "number").length - 1, "accepted types");
  });
}

function checkMessage(vector: CheckedMessage, network: number): void {
  const recomputed = isSigned(vector) ? toHex(recompute(vector)) : undefined;
  const tampered = vector.verdict !== "accepted" && vector.verdict.stage === "verification";
  if (!tampered && vector.submission === undefined) same(recomputed, vector.transaction, "transaction");
  const result =
    vector.submission === undefined
      ? check(transactionOf(vector), network)
      : checkSubmission(fromHex(vector.submission), network);
  same(resultText(result), resultText(vector.verdict), "result");
}

function isSigned(vector: CheckedMessage): vector is CheckedMessage & SignedMessage {
  return vector.data !== undefined;
}

function transactionOf(vector: CheckedMessage): Bytes {
  const tail = vector.tail ? vector.tail.byte.repeat(vector.tail.count) : "";
  return fromHex((vector.transaction ?? "") + tail);
}

// recompute checks every derived field and returns the transaction that follows from them.
function recompute(vector: SignedMessage): Bytes {
  const known = MessageType[vector.data["type"] as number];
  if (known !== undefined) same(vector.type, known, "type");
  const canonical = encode("MessageData", vector.data);
  same(toHex(canonical), vector.canonical, "canonical");
  same(toHex(encodeByLibrary(MessageDataSchema, vector.data)), vector.canonical, "canonical by the library");
  same(toHex(encode("MessageData", decode("MessageData", canonical))), vector.canonical, "decoded and encoded");

  const hash = blake3(canonical);
  same(toHex(hash), vector.hash, "hash");
  if (vector.secret !== undefined) {
    const secret = fromHex(vector.secret);
    same(toHex(ed25519.getPublicKey(secret)), vector.signer, "signer");
    same(toHex(ed25519.sign(hash, secret)), vector.signature, "signature");
  }
  const verified = ed25519.verify(fromHex(vector.signature), hash, fromHex(vector.signer), { zip215: true });
  same(verified, true, "signature verifies");

  const transaction = encode("Message", {
    data: vector.data,
    hash: vector.hash,
    signature: vector.signature,
    signer: vector.signer,
  });
  same(toHex(reencode(MessageSchema, transaction)), toHex(transaction), "transaction by the library");
  return transaction;
}
