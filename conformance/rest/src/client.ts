// A client that is type-checked against the types that openapi-typescript generates. It is compiled, not run.

import type { components, paths } from "./api.js";

type ResponseBody<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

type Problem = components["schemas"]["Problem"];

async function get<Path extends keyof paths>(url: string): Promise<ResponseBody<Path>> {
  const response = await fetch(url);
  if (!response.ok) {
    const problem = (await response.json()) as Problem;
    throw new Error(`${problem.code}: ${problem.detail}`);
  }
  return (await response.json()) as ResponseBody<Path>;
}

export async function custodyOf(owner: string): Promise<{ nonce: bigint; keys: string[] }> {
  const account = await get<"/v1/accounts/{ownerAddress}">(`/v1/accounts/${owner}`);
  const keys: string[] = account.custody_keys.map((key) => key.key_id);
  return { nonce: BigInt(account.custody_nonce), keys };
}

export async function branches(project: string): Promise<string[]> {
  const page = await get<"/v1/projects/{projectId}/refs">(`/v1/projects/${project}/refs?limit=200`);
  const branches = page.refs.filter((ref) => ref.ref_type === "branch");
  return branches.map((ref) => ref.ref_name ?? `0x${ref.ref_name_hex}`);
}

export async function submit(message: components["schemas"]["MessageInput"]): Promise<string | null> {
  const response = await fetch("/v1/messages", { method: "POST", body: JSON.stringify(message) });
  const result = (await response.json()) as components["schemas"]["SubmitMessageResponse"];
  if (!result.accepted) throw new Error(`${result.stage}: ${result.code}: ${result.error}`);
  return result.hash;
}

// A message that was read can be sent without changes, to another node or chain.
export async function sendAgain(hash: string): Promise<string | null> {
  return submit(await get<"/v1/messages/{hash}">(`/v1/messages/${hash}`));
}

export async function activity(project: string): Promise<string[]> {
  const types: NonNullable<paths["/v1/projects/{projectId}/activity"]["get"]["parameters"]["query"]>["types"] = ["ref_update", "ref_delete"];
  const page = await get<"/v1/projects/{projectId}/activity">(`/v1/projects/${project}/activity?types=${types.join()}`);
  return page.messages.map((message) => describe(message.data));
}

export function describe(data: components["schemas"]["MessageData"]): string {
  switch (data.type) {
    case "ref_update":
      return `${data.body.ref_name ?? data.body.ref_name_hex} is at ${data.body.new_hash}`;
    case "project_create":
      return `project ${data.body.name}`;
    default:
      return data.type;
  }
}
