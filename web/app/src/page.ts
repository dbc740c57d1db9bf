// How this page was served, and the client with which it reads the chain.
import { Client, fromHex, type Memory, type Trust } from "makechain";

/** Page is what the server of the page tells about itself, at /page.json. */
export interface Page {
  /** "explorer" is the user's own program; "node" and "gateway" are what is being verified, so that their page proves nothing. */
  readonly served_by: "explorer" | "node" | "gateway";
  /** The node whose chain is shown, as the user named it. */
  readonly node: string;
  /** The host that statements for the content service name. */
  readonly content_host: string;
  /** Whom the page trusts; null means the chain that it sees first. */
  readonly trust: null | {
    readonly source: "genesis" | "trust" | "first_seen";
    readonly chain_id: string;
    readonly validators_hash: string;
    readonly block_number: string;
  };
}

export async function loadPage(): Promise<Page> {
  const response = await fetch("page.json");
  if (!response.ok) throw new Error(`page.json: HTTP ${response.status}`);
  return (await response.json()) as Page;
}

/** connect returns a client that calls the server of the page, which is a node or passes calls on to one. */
export function connect(page: Page): Client {
  const trust: Trust | undefined = page.trust === null ? undefined : {
    chainId: page.trust.chain_id,
    validatorsHash: fromHex(page.trust.validators_hash),
    blockNumber: BigInt(page.trust.block_number),
  };
  const memory = browserMemory();
  return new Client(location.origin, { ...(trust === undefined ? {} : { trust }), ...(memory === undefined ? {} : { memory }) });
}

/** browserMemory keeps the chain first seen and the highest block: public data. A browser can forbid it. */
function browserMemory(): Memory | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

/** forgetChain forgets the chain first seen, so that the next one is trusted. */
export function forgetChain(): void {
  const memory = browserMemory() as Storage | undefined;
  for (const name of Object.keys(memory ?? {})) if (name.startsWith("makechain:")) memory?.removeItem(name);
  location.reload();
}
