// Compares the generated code with the wire tables: names, numbers, types and oneofs.

import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { file_makechain_account } from "../gen/makechain/account_pb.js";
import { file_makechain_api_proof } from "../gen/makechain/api_proof_pb.js";
import { file_makechain_collaborator } from "../gen/makechain/collaborator_pb.js";
import { file_makechain_commit } from "../gen/makechain/commit_pb.js";
import { file_makechain_custody } from "../gen/makechain/custody_pb.js";
import { file_makechain_merge_request } from "../gen/makechain/merge_request_pb.js";
import { file_makechain_message } from "../gen/makechain/message_pb.js";
import { file_makechain_project } from "../gen/makechain/project_pb.js";
import { file_makechain_ref } from "../gen/makechain/ref_pb.js";
import { file_makechain_social } from "../gen/makechain/social_pb.js";
import { file_makechain_storage } from "../gen/makechain/storage_pb.js";
import { type Report, same } from "./report.js";
import { fieldsOf, nameOf } from "./wire.js";

const files = [
  file_makechain_account, file_makechain_api_proof, file_makechain_collaborator, file_makechain_commit,
  file_makechain_custody, file_makechain_merge_request, file_makechain_message, file_makechain_project,
  file_makechain_ref, file_makechain_social, file_makechain_storage,
];

export function checkSchema(report: Report): void {
  for (const message of files.flatMap((file) => file.messages)) {
    report.check(`schema: ${message.name}`, () => checkMessage(message));
  }
  for (const enumeration of files.flatMap((file) => file.enums)) {
    report.check(`schema: ${enumeration.name}`, () => {
      for (const value of enumeration.values) same(value.name, nameOf(enumeration.name, value.number), `value ${value.number}`);
    });
  }
}

function checkMessage(message: DescMessage): void {
  const generated = [...message.fields].sort((a, b) => a.number - b.number).map(describe);
  const specified = fieldsOf(message.name).map((field) => {
    const kind = `${field.type}${field.repeated ? "[]" : ""}`;
    return `${field.number} ${field.name}:${kind} ${field.oneof ?? ""} ${field.presence || field.repeated ? "always" : ""}`;
  });
  same(generated.join("; "), specified.join("; "), "fields");
}

function describe(field: DescField): string {
  const repeated = field.fieldKind === "list";
  const scalar = field.scalar === undefined ? "" : (ScalarType[field.scalar]?.toLowerCase() ?? "");
  const kind = `${field.enum ? "enum" : (field.message?.name ?? scalar)}${repeated ? "[]" : ""}`;
  const always = repeated || field.presence === FeatureSet_FieldPresence.EXPLICIT ? "always" : "";
  return `${field.number} ${field.name}:${kind} ${field.oneof?.name ?? ""} ${always}`;
}
