// The rows of the state (P7): the message type of each kind of value, and the check of its canonical encoding.

import type { DescMessage } from "@bufbuild/protobuf";
import * as state from "../gen/makechain/state_pb.js";
import { fromHex, toHex } from "./bytes.js";
import { reencode } from "./library.js";
import { same } from "./report.js";

const schemas: Record<number, DescMessage> = {
  0x03: state.TombstoneRowSchema,
  0x04: state.AccountRowSchema,
  0x05: state.AccountMetadataRowSchema,
  0x07: state.KeyOwnerRowSchema,
  0x08: state.UsernameRowSchema,
  0x09: state.VerificationRowSchema,
  0x0a: state.ProjectRowSchema,
  0x0b: state.ProjectMetadataRowSchema,
  0x0c: state.ProjectNameRowSchema,
  0x0d: state.RefRowSchema,
  0x0e: state.CommitRowSchema,
  0x0f: state.CollaboratorRowSchema,
  0x10: state.LinkRowSchema,
  0x11: state.LinkRowSchema,
  0x12: state.ReactionRowSchema,
  0x13: state.ReactionRowSchema,
  0x14: state.CounterRowSchema,
  0x15: state.PruneMarkerRowSchema,
  0x16: state.StorageGrantRowSchema,
  0x17: state.ClaimRowSchema,
  0x1a: state.ForkParentRowSchema,
  0x1b: state.MergeRequestRowSchema,
  0x1c: state.MergeRequestByRequesterRowSchema,
  0x1d: state.ValidatorsRowSchema,
  0x1e: state.ClosedMergeRequestRowSchema,
  0x1f: state.ContentRowSchema,
  0x20: state.SettlementRowSchema,
  0x21: state.RulesRowSchema,
};

const familyOffset = 1 + 20;

// schemaOf returns the message type of a row. A byte of the key distinguishes the two families of account keys.
export function schemaOf(key: Uint8Array): DescMessage {
  const [prefix = 0] = key;
  if (prefix === 0x06) return key[familyOffset] === 0 ? state.DelegatedKeyRowSchema : state.CustodyKeyRowSchema;
  const schema = schemas[prefix];
  if (!schema) throw new Error(`no row has the prefix ${prefix.toString(16)}`);
  return schema;
}

// checkRowValue requires a value that is not empty and that the library encodes to the same bytes.
export function checkRowValue(key: string, value: string): void {
  if (value === "") throw new Error(`row ${key} is empty`);
  same(toHex(reencode(schemaOf(fromHex(key)), fromHex(value))), value, `canonical value of row ${key}`);
}
