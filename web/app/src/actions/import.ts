// Copying the content of a project into another one at the content service, which a statement of the delegated key authorizes.
import type { Client } from "makechain";
import { hex } from "../format.js";
import { authorize } from "../git/access.js";
import type { Page } from "../page.js";
import type { Session } from "../session/session.js";
import type { Field } from "./operation.js";

/** statementFields returns what the statement contains, as it is shown before it is signed. */
export function statementFields(page: Page, session: Session, project: string, source: Uint8Array): Field[] {
  const values = { chain: session.chainId, purpose: "import", host: page.content_host, project, source: hex(source) };
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** importContent makes the content service of the node add the git bundles of a project to another one. */
export async function importContent(client: Client, page: Page, session: Session, project: Uint8Array, source: Uint8Array): Promise<void> {
  const response = await fetch(`${client.url}/v1/content/${hex(project)}/import`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: await authorize(page, session, { purpose: "import", project, source }) },
    body: JSON.stringify({ source: hex(source) }),
    redirect: "error",
  });
  if (!response.ok) throw await problem(response);
}

/** problem returns the error of a problem document, with its code (docs/errors.md). */
async function problem(response: Response): Promise<Error> {
  let document: { readonly code?: string; readonly detail?: string } = {};
  try {
    document = (await response.json()) as typeof document;
  } catch {
    // Not a problem document: only the status is known.
  }
  return Object.assign(new Error(document.detail ?? `the content service returned HTTP ${response.status}`), { code: document.code ?? "" });
}
