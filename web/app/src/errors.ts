// What to do about an error: the advice of docs/errors.md, by code. A test compares both.

/** advice is what to do by the code of a refusal or of a failed request. */
export const advice: Readonly<Record<string, string>> = {
  malformed: "Encode fields in ascending order, omit default values, use the shortest varints, send no unknown fields.",
  too_large: "Split it, for example into several commit bundles.",
  unknown_type: "Check the type; update the client if it uses another version.",
  wrong_network: "Set network to the network of the node, and sign again.",
  hash_mismatch: "Hash the canonical encoding of data, 32 bytes.",
  data_bytes_mismatch: "Omit data_bytes, or send the canonical bytes.",
  bad_signature: "Sign the 32 bytes of the hash with the private key of signer.",
  invalid_field: "Correct the field, and sign again.",
  unknown_signer: "Register it with SIGNER_ADD, or sign with a registered key.",
  insufficient_scope: "Sign with a key of the scope named in the reason.",
  project_not_allowed: "Use another key, or register one for this project.",
  unknown_project: "Check the id: it is the hash of the message that created the project.",
  project_archived: "Fork it to continue.",
  project_removed: "Use another project.",
  insufficient_permission: "Ask an admin or the owner of the project.",
  bad_custody_signature: "Compute the digest of P4.1 from the fields of the message and sign it with the wallet.",
  custody_not_authorized: "Sign with the root key, or wrap the signature of an authorized admin key.",
  custody_nonce_mismatch: "Read custody_nonce of the account and sign again.",
  custody_window_closed: "Sign again with a new validity period of at most an hour.",
  bad_claim_signature: "Sign the claim of P9.10 for this account and network with the key of that address.",
  wrong_settlement_chain: "Pay the contract that the genesis of this chain names.",
  insufficient_attestations: "Collect attestations until the threshold is met.",
  too_early: "Nothing, if the clock is correct: the message stays pending until its time.",
  too_late: "Sign again with the current time.",
  duplicate: "Treat it as success.",
  not_found: "Read the state again.",
  stale_write: "Read the state again; sign with a later timestamp if the change is still needed.",
  nothing_new: "Treat it as success.",
  name_taken: "Choose another name, or rename the other project.",
  no_usable_storage: "makechain account create, which claims storage and a username; on a chain without a faucet with --claim-tx, after a payment.",
  quota_exceeded: "makechain storage show prints the limits. Remove entries, or claim more storage (makechain storage claim) if the limit depends on it.",
  ref_nonce_mismatch: "Read the ref and send its nonce plus one; a new ref starts with 1.",
  ref_hash_mismatch: "Read the ref, merge, and try again.",
  ref_type_mismatch: "Delete the ref first, or use another name.",
  not_fast_forward: "Merge first, or set force.",
  unknown_commit: "Send its COMMIT_BUNDLE first, parents before children.",
  not_a_fork: "Open the merge request from a fork of the target.",
  not_merged: "Push the merge to the target ref first, or name the commit that contains the change.",
  owner_target: "Nothing: the owner already has every permission.",
  key_taken: "Create a new key.",
  key_revoked: "Authorize another key.",
  username_taken: "Choose another.",
  username_held: "Use USERNAME_UPDATE.",
  no_username: "Use USERNAME_CREATE.",
  username_cooldown: "Wait until the time named in the reason.",
  claim_used: "Treat it as success.",
  claim_expired: "Claim a newer settlement.",
  mempool_full: "Send it again later, or to another node.",
  mempool_evicted: "Send it and the messages after it again later, or to another node.",
  unavailable: "Send it again later, or to another node.",
  invalid_argument: "Correct the values listed in errors.",
  out_of_range: "Request a later block, or read the state again and continue from there.",
  unauthenticated: "Sign a statement with a key that is registered on the chain, and compare the clock.",
  permission_denied: "Request metrics from that machine; ask an admin or the owner of the project.",
  content_quota_exceeded: "Claim more storage.",
  method_not_allowed: "Use a method listed in Allow.",
  request_timeout: "Send it again over a faster connection.",
  already_exists: "Treat it as success.",
  failed_precondition: "Read the state again.",
  aborted: "Read the list again, without a cursor.",
  length_required: "Send it.",
  body_too_large: "Send fewer messages at a time.",
  unsupported_media_type: "Send application/json, or application/x-protobuf where it is accepted.",
  digest_mismatch: "Send it again; compute the digest with BLAKE3.",
  invalid_bundle: "Create it with git, within the limits of content.",
  schema: "Correct the values listed in errors; /reference shows the schema.",
  resource_exhausted: "Wait for the time in Retry-After; request fewer items.",
  canceled: "Nothing.",
  internal: "Report the request id in the description to the operator.",
  unknown: "As for internal.",
  data_loss: "Use another node.",
  unimplemented: "Update the node.",
  insufficient_storage: "Use another store, or ask the operator.",
  deadline_exceeded: "Retry; a message may have been admitted, so request its status first.",
};

/** describe returns what to do about an error, or nothing when that is not known. */
export function describe(error: Error): string {
  if (error.name === "ProofError") return "The node's answer does not match what the validators signed. Do not rely on it: ask another node, or report it to the operator.";
  const code: unknown = (error as { code?: unknown }).code;
  if (typeof code === "string") return advice[code] ?? "";
  if (typeof code === "number") return advice[connectCodes[code] ?? ""] ?? "";
  if (error instanceof TypeError) return "The node is not reachable. Check that it runs, and try again.";
  return "";
}

/** connectCodes are the codes of failed calls by their numbers. */
const connectCodes = ["", "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists", "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated"];
