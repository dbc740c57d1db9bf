// Names of accounts and projects, proven, for lists that have ids only.
import { type Client, ProjectMetadataType, rows } from "makechain";
import { useEffect, useState } from "preact/hooks";
import { useShared } from "./context.js";
import { address, hex, shorten } from "./format.js";

/** How many names are remembered, and how many are read at a time. */
const remembered = 2000;
const concurrent = 4;

const names = new Map<string, Promise<string>>();
const waiting: (() => void)[] = [];
let running = 0;

/** inTurn runs tasks, a few at a time. */
export async function inTurn<T>(task: () => Promise<T>): Promise<T> {
  if (running >= concurrent) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await task();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** find returns the name of something, which is read once. */
function find(key: string, read: () => Promise<string>): Promise<string> {
  const known = names.get(key);
  if (known !== undefined) return known;
  const [oldest] = names.keys();
  if (names.size >= remembered && oldest !== undefined) names.delete(oldest);
  const name = inTurn(read);
  names.set(key, name);
  name.catch(() => names.delete(key));
  return name;
}

/** accountName returns the username of an account, which is proven; it is empty for an account without one. */
export function accountName(client: Client, owner: Uint8Array): Promise<string> {
  return find(address(owner), async () => (await client.row(rows.account, owner)).value?.username ?? "");
}

/** projectName returns "alice/hello" for a project, which is proven; it is empty for a project that does not exist. */
export function projectName(client: Client, id: Uint8Array): Promise<string> {
  return find(hex(id), async () => {
    const [project, name] = await Promise.all([client.row(rows.project, id), client.row(rows.projectMetadata, id, ProjectMetadataType.PROJECT_METADATA_NAME)]);
    if (project.value === undefined || name.value === undefined) return "";
    const owner = (await client.row(rows.account, project.value.ownerAddress)).value?.username ?? "";
    return `${owner === "" ? shorten(address(project.value.ownerAddress)) : owner}/${name.value.value}`;
  });
}

/** useAccountName returns the proven username of an account, and nothing until it is known. */
export function useAccountName(owner: Uint8Array, given?: string): string {
  const { client } = useShared();
  return useName(address(owner), given, () => accountName(client, owner));
}

/** useProjectName returns the proven name of a project, and nothing until it is known. */
export function useProjectName(id: Uint8Array, given?: string): string {
  const { client } = useShared();
  return useName(hex(id), given, () => projectName(client, id));
}

function useName(key: string, given: string | undefined, read: () => Promise<string>): string {
  const [name, setName] = useState({ key, text: given ?? "" });
  useEffect(() => {
    let shown = true;
    if (given === undefined) read().then((text) => shown && setName({ key, text }), () => undefined);
    return () => {
      shown = false;
    };
  }, [key, given]);
  return given ?? (name.key === key ? name.text : "");
}
