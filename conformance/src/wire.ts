// The wire tables: names, numbers and types of the signed messages, written down here a second time so
// that the canonical encoding is checked against the specification and not against generated code.

export interface Field {
  number: number;
  name: string;
  type: string;
  repeated: boolean;
  // A field with presence is encoded whenever it is set, also when it holds its default.
  presence: boolean;
  oneof: string | undefined;
}

// One line per message: `number name:type`, `[]` repeated, `?` optional, `{oneof}` member of a oneof.
const tables = `
Message: 1 data:MessageData, 2 hash:bytes, 3 signature:bytes, 4 signer:bytes, 5 data_bytes:bytes?, 100 block_number:uint64, 101 index:uint32
MessageData: 1 type:enum, 2 timestamp:uint32, 3 network:enum, 4 owner_address:bytes, 5 project_create:ProjectCreateBody{body}, 6 project_metadata:ProjectMetadataBody{body}, 7 project_archive:ProjectArchiveBody{body}, 8 fork:ForkBody{body}, 9 project_remove:ProjectRemoveBody{body}, 10 ref_update:RefUpdateBody{body}, 11 ref_delete:RefDeleteBody{body}, 12 commit_bundle:CommitBundleBody{body}, 13 collaborator_add:CollaboratorAddBody{body}, 14 collaborator_remove:CollaboratorRemoveBody{body}, 15 account_data:AccountDataBody{body}, 16 verification_add:VerificationAddBody{body}, 17 verification_remove:VerificationRemoveBody{body}, 18 storage_claim:StorageClaimBody{body}, 19 username_create:UsernameCreateBody{body}, 20 username_update:UsernameUpdateBody{body}, 21 link_add:LinkAddBody{body}, 22 link_remove:LinkRemoveBody{body}, 23 reaction_add:ReactionAddBody{body}, 24 reaction_remove:ReactionRemoveBody{body}, 25 signer_add:SignerAddBody{body}, 26 signer_remove:SignerRemoveBody{body}, 27 merge_request_add:MergeRequestAddBody{body}, 28 merge_request_remove:MergeRequestRemoveBody{body}, 29 keychain_authorize:KeychainAuthorizeBody{body}, 30 keychain_revoke:KeychainRevokeBody{body}
ProjectCreateBody: 1 name:string, 2 visibility:enum, 3 description:string, 4 license:string
ProjectRemoveBody: 1 project_id:bytes
ForkBody: 1 source_project_id:bytes, 2 name:string, 3 source_commit_hash:bytes, 4 visibility:enum
ProjectMetadataBody: 1 project_id:bytes, 2 field:enum, 3 value:string
AccountDataBody: 1 field:enum, 2 value:string
CommitBundleBody: 1 project_id:bytes, 2 commits:CommitMeta[], 3 content_digest:bytes, 4 url:string
CommitMeta: 1 hash:bytes, 2 parents:bytes[], 3 tree_root:bytes, 4 author_timestamp:uint32, 5 title:string, 6 message_hash:bytes, 7 author_address:bytes
ProjectArchiveBody: 1 project_id:bytes
RefUpdateBody: 1 project_id:bytes, 2 ref_name:bytes, 3 ref_type:enum, 4 old_hash:bytes, 5 new_hash:bytes, 6 force:bool, 7 nonce:uint64
RefDeleteBody: 1 project_id:bytes, 2 ref_name:bytes, 3 expected_hash:bytes, 4 nonce:uint64
CollaboratorAddBody: 1 project_id:bytes, 2 permission:enum, 3 target_owner_address:bytes
CollaboratorRemoveBody: 1 project_id:bytes, 2 target_owner_address:bytes
StorageClaimBody: 1 units:uint32, 2 settlement_tx_hash:bytes, 3 settlement_chain_id:uint64, 4 settlement_log_index:uint32, 5 actor:bytes, 100 settlement_timestamp:uint64, 101 attestations:SettlementAttestation[]
SettlementAttestation: 1 attester:bytes, 2 signature:bytes
UsernameCreateBody: 1 username:string
UsernameUpdateBody: 1 username:string
VerificationAddBody: 1 verification_type:enum, 2 address:bytes, 3 claim_signature:bytes, 4 chain_id:bytes
VerificationRemoveBody: 1 address:bytes
LinkAddBody: 1 link_type:enum, 2 target_project_id:bytes{target}, 3 target_owner_address:bytes{target}
LinkRemoveBody: 1 link_type:enum, 2 target_project_id:bytes{target}, 3 target_owner_address:bytes{target}
ReactionAddBody: 1 reaction_type:enum, 2 target_project_id:bytes, 3 target_commit_hash:bytes
ReactionRemoveBody: 1 reaction_type:enum, 2 target_project_id:bytes, 3 target_commit_hash:bytes
MergeRequestAddBody: 1 project_id:bytes, 2 source_project_id:bytes, 3 source_ref:bytes, 4 source_commit_hash:bytes, 5 target_ref:bytes, 6 title:string
MergeRequestRemoveBody: 1 project_id:bytes, 2 request_id:bytes
SignerAddBody: 1 key:bytes, 2 scope:uint32, 3 custody_signature:bytes, 4 allowed_projects:bytes[], 6 nonce:uint64, 7 request_signature:bytes, 9 valid_after:uint64, 10 valid_before:uint64, 11 request_owner_address:bytes
SignerRemoveBody: 1 key:bytes, 2 custody_signature:bytes, 4 nonce:uint64, 5 valid_after:uint64, 6 valid_before:uint64
KeychainAuthorizeBody: 1 key_id:bytes, 2 signature_type:enum, 3 public_key:bytes, 4 admin:bool, 5 expires_at:uint64, 6 valid_after:uint64, 7 valid_before:uint64, 8 nonce:uint64, 9 authorization_signature:bytes, 10 witness:bytes
KeychainRevokeBody: 1 key_id:bytes, 2 valid_after:uint64, 3 valid_before:uint64, 4 nonce:uint64, 5 revocation_signature:bytes, 6 witness:bytes
`;

const scalars = new Set(["bytes", "string", "bool", "uint32", "uint64", "enum"]);

const messages: ReadonlyMap<string, readonly Field[]> = new Map(
  tables
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", fields = ""] = line.split(": ");
      return [name, fields.split(", ").map(parseField)];
    }),
);

function parseField(text: string): Field {
  const match = /^(\d+) (\w+):(\w+)(\[\])?(\?)?(?:\{(\w+)\})?$/.exec(text);
  if (!match) throw new Error(`wire table: ${text}`);
  const [, number, name = "", type = "", repeated, optional, oneof] = match;
  const presence = optional !== undefined || oneof !== undefined || !scalars.has(type);
  return { number: Number(number), name, type, repeated: repeated !== undefined, presence, oneof };
}

export function fieldsOf(message: string): readonly Field[] {
  const fields = messages.get(message);
  if (!fields) throw new Error(`no message ${message} in the wire tables`);
  return fields;
}

export function isMessage(type: string): boolean {
  return !scalars.has(type);
}

const textFields: ReadonlySet<string> = new Set(
  [...messages.values()].flat().flatMap((field) => (field.type === "string" ? [field.name] : [])),
);

// isText tells whether a field is text. No name is text in one message and bytes in another.
export function isText(field: string): boolean {
  return textFields.has(field);
}
