// Messages: canonical bytes, hash, signer, signature and transaction, from the fields alone.

import { ed25519 } from "@noble/curves/ed25519.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { MessageDataSchema, MessageSchema, MessageType } from "../gen/makechain/message_pb.js";
import { type Bytes, fromHex, toHex } from "./bytes.js";
import { decode, encode, type Fields } from "./canonical.js";
import { encodeByLibrary, reencode } from "./library.js";
import { type Report, same } from "./report.js";
import { judge, type Verdict, verdictText } from "./verdict.js";

// SignedMessage is what the known answers give of a message.
export interface SignedMessage {
  type: string;
  data: Fields;
  canonical: string;
  hash: string;
  secret: string;
  signer: string;
  signature: string;
}

// JudgedMessage adds the bytes that travel and what becomes of them. Only a transaction refused at
// verification may differ from the honest one; data is then what it would have said.
export interface JudgedMessage extends SignedMessage {
  name: string;
  transaction: string;
  // Appended to transaction: so that what is too large need not be written out.
  tail?: { byte: string; count: number };
  verdict: Verdict;
}

export interface MessageFile {
  network: number;
  messages: JudgedMessage[];
}

export function checkSigned(report: Report, title: string, messages: SignedMessage[]): void {
  messages.forEach((vector, i) => {
    report.check(`${title} ${i} ${vector.type}`, () => void recompute(vector));
  });
}

export function checkJudged(report: Report, title: string, file: MessageFile): void {
  file.messages.forEach((vector) => {
    report.check(`${title}: ${vector.name}`, () => {
      const honest = toHex(recompute(vector));
      const refused = vector.verdict !== "accepted" && vector.verdict.stage === "verification";
      if (!refused) same(vector.transaction, honest, "transaction");
      same(verdictText(judge(transactionOf(vector), file.network)), verdictText(vector.verdict), "verdict");
    });
  });
  report.check(`${title}: every type is accepted once`, () => {
    const accepted = new Set(file.messages.filter((m) => m.verdict === "accepted").map((m) => m.type));
    same(accepted.size, 26, "accepted types");
  });
}

function transactionOf(vector: JudgedMessage): Bytes {
  const tail = vector.tail ? vector.tail.byte.repeat(vector.tail.count) : "";
  return fromHex(vector.transaction + tail);
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
  const secret = fromHex(vector.secret);
  const signer = ed25519.getPublicKey(secret);
  same(toHex(signer), vector.signer, "signer");
  const signature = ed25519.sign(hash, secret);
  same(toHex(signature), vector.signature, "signature");
  same(ed25519.verify(signature, hash, signer, { zip215: true }), true, "signature verifies");

  const { data, signature: sig, signer: key } = { data: vector.data, signature: vector.signature, signer: vector.signer };
  const transaction = encode("Message", { data, hash: vector.hash, signature: sig, signer: key });
  same(toHex(reencode(MessageSchema, transaction)), toHex(transaction), "transaction by the library");
  return transaction;
}
