// The result of checking a transaction without state: verification (P2) and validation (P5).

import { ed25519 } from "@noble/curves/ed25519.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { Network } from "../gen/makechain/message_pb.js";
import { attempt } from "./attempt.js";
import { type Bytes, equalBytes, fromHex, toHex } from "./bytes.js";
import { decode, encode, type Fields, rawFields } from "./canonical.js";
import { bodyName, isKnownType } from "./kinds.js";
import { validate } from "./validation.js";

// Only validation sets a field.
export type Result = "accepted" | { stage: string; code: string; field?: string };

export function resultText(result: Result): string {
  if (result === "accepted") return result;
  return [result.stage, result.code, result.field].filter((part) => part !== undefined).join(", ");
}

const maxMessageSize = 1 << 20;

export function check(transaction: Bytes, network: number): Result {
  const code = verify(transaction, network);
  if (code !== undefined) return { stage: "verification", code };
  const field = validate(decode("Message", transaction)["data"] as Fields);
  return field === undefined ? "accepted" : { stage: "validation", code: "invalid_field", field };
}

// checkSubmission checks a message as the API receives it: it may include its canonical bytes (P2.3) and the position that
// nodes add to served messages, which is ignored.
export function checkSubmission(submission: Bytes, network: number): Result {
  const { data_bytes: claimed, block_number: _height, index: _index, ...message } = decode("Message", submission);
  if (claimed !== undefined && claimed !== toHex(encode("MessageData", message["data"] as Fields))) {
    return { stage: "verification", code: "data_bytes_mismatch" };
  }
  return check(encode("Message", message), network);
}

// verify returns the code of the first rule of P2 that the transaction breaks.
function verify(transaction: Bytes, network: number): string | undefined {
  if (transaction.length > maxMessageSize) return "too_large";
  const message = attempt(() => decode("Message", transaction));
  if (!message) return claimsUnknownType(transaction) ? "unknown_type" : "malformed";
  if (!hasExactly(message, ["data", "hash", "signature", "signer"])) return "malformed";
  const { data, hash, signature, signer } = message as { data: Fields; hash: string; signature: string; signer: string };
  if (hash.length !== 64 || signature.length !== 128 || signer.length !== 64) return "malformed";

  const type = (data["type"] ?? 0) as number;
  if (!isKnownType(type)) return "unknown_type";
  if (data[bodyName(type)] === undefined) return "malformed";
  if (((data["owner_address"] ?? "") as string).length !== 40) return "malformed";
  if (Network[network] === undefined || data["network"] !== network) return "wrong_network";

  const computed = blake3(encode("MessageData", data));
  if (!equalBytes(computed, fromHex(hash))) return "hash_mismatch";
  const good = attempt(() => ed25519.verify(fromHex(signature), computed, fromHex(signer), { zip215: true }));
  return good === true ? undefined : "bad_signature";
}

// claimsUnknownType reads only the first field of data: a message of an unknown type usually has an unknown body too, and
// the type is the better error.
function claimsUnknownType(transaction: Bytes): boolean {
  const type = attempt(() => {
    const data = rawFields(transaction).find((field) => field.number === 1)?.value as Bytes;
    return rawFields(data)[0];
  });
  return type?.number === 1 && typeof type.value === "bigint" && !isKnownType(Number(type.value));
}

function hasExactly(message: Fields, names: string[]): boolean {
  return Object.keys(message).sort().join() === [...names].sort().join();
}
