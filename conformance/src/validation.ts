// The checks that need no state (P5). They return the path of the first invalid field.

import { MergeRequestOutcome } from "../gen/makechain/merge_request_pb.js";
import { Body } from "./body.js";
import { fromHex, toHex } from "./bytes.js";
import type { Fields } from "./canonical.js";
import { hostChainIds } from "./digests.js";
import { bodyName } from "./kinds.js";
import { keyIdOf, P256, publicPoint, SECP256K1, WEBAUTHN } from "./signatures.js";

export function validate(data: Fields): string | undefined {
  if ((data["timestamp"] ?? 0) === 0) return "timestamp";
  const name = bodyName(data["type"] as number);
  const rule = rules[name];
  if (!rule) throw new Error(`no rule for ${name}`);
  const body = new Body(data[name] as Fields, data["owner_address"] as string, data["network"] as number);
  rule(body);
  return body.broken === undefined ? undefined : `${name}.${body.broken}`;
}

const CONTENT = 100;
const DEFAULT_BRANCH = 101;
const TAG = 1;

// An http or https URL of a host, an optional port without leading zeros, and an optional path of RFC 3986.
const baseUrl = /^https?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[1-9]\d{0,4})?(\/([A-Za-z0-9/._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)?$/;

function isBaseUrl(text: string): boolean {
  const match = baseUrl.exec(text);
  return match !== null && Number(match[2]?.slice(1) ?? 0) <= 65_535;
}

const rules: Record<string, (body: Body) => void> = {
  project_create: (body) => {
    projectName(body, "name");
    body.enum("visibility", 0, 1);
    body.size("description", 0, 500);
    body.size("license", 0, 100);
  },
  fork: (body) => {
    body.hash("source_project_id");
    projectName(body, "name");
    body.hash("source_commit_hash");
    body.enum("visibility", 0, 1);
  },
  project_metadata: (body) => {
    body.hash("project_id");
    const field = body.number("field");
    body.need("field", (field >= 1 && field <= 4) || field === CONTENT || field === DEFAULT_BRANCH);
    body.size("value", 0, field === CONTENT ? 2048 : 500);
    if (field === 1) projectName(body, "value");
    if (field === 4) body.need("value", ["public", "private"].includes(body.text("value")));
    if (field === CONTENT && body.text("value") !== "") {
      const urls = body.text("value").split("\n");
      body.need("value", urls.length <= 8 && urls.every(isBaseUrl));
    }
    if (field === DEFAULT_BRANCH && body.text("value") !== "") {
      body.size("value", 1, 254);
      body.need("value", !body.text("value").includes("\0"));
    }
  },
  project_archive: (body) => body.hash("project_id"),
  project_remove: (body) => body.hash("project_id"),
  account_data: (body) => {
    body.enum("field", 1, 4);
    body.size("value", 0, body.number("field") === 1 ? 32 : 500);
  },
  ref_update: (body) => {
    body.hash("project_id");
    refName(body, "ref_name");
    body.enum("ref_type", 0, 1);
    body.optionalHash("old_hash");
    body.hash("new_hash");
    body.need("nonce", body.number("nonce") >= 1);
    body.optionalHash("tag_object");
    body.need("tag_object", body.text("tag_object") === "" || body.number("ref_type") === TAG);
    body.optionalHash("content_digest");
  },
  ref_delete: (body) => {
    body.hash("project_id");
    refName(body, "ref_name");
    body.optionalHash("expected_hash");
    body.need("nonce", body.number("nonce") >= 1);
  },
  commit_bundle: commitBundle,
  collaborator_add: (body) => {
    body.hash("project_id");
    body.enum("permission", 0, 3);
    body.address("target_owner_address");
  },
  collaborator_remove: (body) => {
    body.hash("project_id");
    body.address("target_owner_address");
  },
  verification_add: verificationAdd,
  verification_remove: (body) => body.size("address", 1, 128),
  storage_claim: storageClaim,
  username_create: username,
  username_update: username,
  link_add: link,
  link_remove: link,
  reaction_add: reaction,
  reaction_remove: reaction,
  signer_add: signerAdd,
  signer_remove: (body) => {
    body.hash("key");
    body.window();
    body.signature("custody_signature");
  },
  merge_request_add: (body) => {
    body.hash("project_id");
    body.hash("source_project_id");
    body.need("source_project_id", body.text("source_project_id") !== body.text("project_id"));
    refName(body, "source_ref");
    body.hash("source_commit_hash");
    refName(body, "target_ref");
    body.size("title", 1, 200);
    body.optionalHash("replaces");
  },
  merge_request_remove: mergeRequestRemove,
  keychain_authorize: keychainAuthorize,
  keychain_revoke: (body) => {
    body.address("key_id");
    body.need("key_id", body.text("key_id") !== body.owner);
    body.window();
    body.size("witness", 0, 1024);
    body.signature("revocation_signature");
  },
};

// mergeRequestRemove allows every outcome but SUPERSEDED, and a merge commit for MERGED only.
function mergeRequestRemove(body: Body): void {
  body.hash("project_id");
  body.hash("request_id");
  const outcome = body.number("outcome");
  const { UNSPECIFIED, MERGED, DECLINED, WITHDRAWN } = MergeRequestOutcome;
  body.need("outcome", [UNSPECIFIED, MERGED, DECLINED, WITHDRAWN].includes(outcome));
  if (outcome === MERGED) return body.optionalHash("merge_commit");
  body.need("merge_commit", body.bytes("merge_commit").length === 0);
}

function projectName(body: Body, field: string): void {
  const name = body.text(field);
  body.need(field, /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && !/\.\.|\.$|\.git$/.test(name));
}

function refName(body: Body, field: string): void {
  body.size(field, 1, 254);
  body.need(field, !body.bytes(field).includes(0));
}

function commitBundle(body: Body): void {
  body.hash("project_id");
  body.optionalHash("content_digest");
  body.size("url", 0, 2048);
  body.need("url", !/\p{Cc}/u.test(body.text("url")));
  body.need("url", body.text("url") === "" || body.bytes("content_digest").length > 0);
  const seen = new Set<string>();
  body.list("commits", 1, 1000, (commit) => {
    commit.hash("hash");
    const parents = commit.hexList("parents");
    commit.need("parents", parents.length <= 64);
    parents.forEach((parent, i) => commit.need(`parents[${i}]`, parent.length === 64));
    commit.hash("tree_root");
    commit.size("title", 0, 200);
    commit.hash("message_hash");
    commit.address("author_address");
    commit.size("author_name", 0, 100);
    commit.need("author_name", !/\p{Cc}/u.test(commit.text("author_name")));
    commit.need("hash", !seen.has(commit.text("hash")));
    seen.add(commit.text("hash"));
  });
}

const ETH = 1;

function verificationAdd(body: Body): void {
  body.enum("verification_type", 1, 2);
  if (body.number("verification_type") === ETH) {
    const chainId = (hostChainIds[body.network] ?? 0).toString(16);
    body.address("address");
    body.need("chain_id", body.text("chain_id") === chainId.padStart(2 * Math.ceil(chainId.length / 2), "0"));
    body.directSignature("claim_signature");
  } else {
    body.publicKey("address");
    body.size("chain_id", 0, 0);
    body.size("claim_signature", 64, 64);
  }
}

// A grant expires this many seconds after its settlement, and the expiry is a key field of 32 bits (P8.1).
const storageTerm = 395 * 24 * 60 * 60;

function storageClaim(body: Body): void {
  body.need("units", body.number("units") >= 1);
  body.hash("settlement_tx_hash");
  body.need("settlement_chain_id", body.number("settlement_chain_id") >= 1);
  body.address("actor");
  body.need("settlement_timestamp", body.number("settlement_timestamp") + storageTerm <= 0xffffffff);
  const seen = new Set<string>();
  body.list("attestations", 1, 64, (attestation) => {
    attestation.hash("attester");
    attestation.size("signature", 64, 64);
    attestation.need("attester", !seen.has(attestation.text("attester")));
    seen.add(attestation.text("attester"));
  });
}

function username(body: Body): void {
  body.need("username", /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/.test(body.text("username")));
}

const FOLLOW = 1;

function link(body: Body): void {
  body.enum("link_type", 1, 2);
  if (body.number("link_type") === FOLLOW) {
    body.address("target_owner_address");
    body.need("target_owner_address", body.text("target_owner_address") !== body.owner);
  } else {
    body.hash("target_project_id");
  }
}

function reaction(body: Body): void {
  body.enum("reaction_type", 1, 1);
  body.hash("target_project_id");
  body.hash("target_commit_hash");
}

const AGENT = 2;

function signerAdd(body: Body): void {
  body.publicKey("key");
  body.enum("scope", 0, 2);
  body.window();
  body.address("request_owner_address");
  const projects = body.hexList("allowed_projects");
  body.need("allowed_projects", projects.length <= (body.number("scope") === AGENT ? 100 : 0));
  projects.forEach((project, i) => {
    body.need(`allowed_projects[${i}]`, project.length === 64 && projects.indexOf(project) === i);
  });
  body.signature("custody_signature");
  body.signature("request_signature");
}

function keychainAuthorize(body: Body): void {
  body.address("key_id");
  body.enum("signature_type", SECP256K1, WEBAUTHN);
  const type = body.number("signature_type");
  const size = type === P256 || type === WEBAUTHN ? 64 : 65;
  body.size("public_key", size, size);
  body.attempt("public_key", () => {
    const keyId = toHex(keyIdOf(publicPoint(type, fromHex(body.text("public_key")))));
    body.need("key_id", keyId === body.text("key_id") && keyId !== body.owner);
  });
  if (body.flag("admin")) body.need("expires_at", body.number("expires_at") === 0);
  body.window();
  body.size("witness", 0, 1024);
  body.signature("authorization_signature");
}
