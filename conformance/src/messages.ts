// Messages: canonical bytes, hash, signer, signature and transaction, from the fields alone.

import { ed25519 } from "@noble/curves/ed25519.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { MessageDataSchema, MessageSchema, MessageType } from "../gen/makechain/message_pb.js";
import { type Bytes, fromHex, toHex } from "./bytes.js";
import { decode, encode, type Fields } from "./canonical.js";
import { encodeByLibrary, reencode } from "./library.js";
import { type Report, same } from "./report.js";
import { check, checkSubmission, type Result, resultText } from "./result.js";

// SignedMessage is what the known answers give of a message: its fields and all that follows from them.
export interface SignedMessage {
  type: string;
  data: Fields;
  canonical: string;
  hash: string;
  // Left out where a signature was made without one.
  secret?: string;
  signer: string;
  signature: string;
}

// CheckedMessage adds the bytes that travel, as a transaction of a block or as submitted to the API, and what
// becomes of them. Only what is refused at verification may differ from what follows from the fields, which
// are left out where no honest author could have written them.
export interface CheckedMessage extends Partial<SignedMessage> {
  name: string;
  transaction?: string;
  // Appended to transaction, so that what is too large need not be written out.
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
  const honest = isSigned(vector) ? toHex(recompute(vector)) : undefined;
  const tampered = vector.verdict !== "accepted" && vector.verdict.stage === "verification";
  if (!tampered && vector.submission === undefined) same(honest, vector.transaction, "transaction");
  const verdict =
    vector.submission === undefined
      ? check(transactionOf(vector), network)
      : checkSubmission(fromHex(vector.submission), network);
  same(resultText(verdict), resultText(vector.verdict), "verdict");
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
