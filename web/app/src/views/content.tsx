import { type ContentEntry, ProjectMetadataType } from "makechain";
import { Badge, Command, Empty, Hash, More, Rows } from "../components/index.js";
import { useSlice } from "../components/slice.js";
import { useShared } from "../context.js";
import { count, hex, size, visible } from "../format.js";
import { type Access, useAccess } from "../git/access.js";
import { Heading } from "../heading.js";
import { useClaimed, usePages } from "../load.js";
import { inTurn } from "../names.js";
import { metadata, type ProjectViewProps } from "../project.js";
import { href } from "../route.js";

/** Content lists the git bundles that the chain names for a project, where they were published, and which of them this node has. */
export default function Content({ project, base }: ProjectViewProps) {
  const { client } = useShared();
  const state = project.value;
  const contents = usePages(`contents ${hex(state.id)}`, () => client.contents(state.id));
  const stores = metadata(state, ProjectMetadataType.PROJECT_METADATA_CONTENT).split("\n").filter((url) => url !== "");
  const { shown, more } = useSlice(contents.items);
  return (
    <>
      <Heading level={2} title="Content" />
      <p class="muted">The chain has the digests of git bundles; stores have their bytes, and need not be trusted.</p>
      <section class="panel" aria-labelledby="stores">
        <div class="panel-head">
          <h3 id="stores">Stores of the project</h3>
          <Badge of={{ status: "proven", ...project }} />
        </div>
        <div class="panel-body">
          {stores.length === 0 ? <p class="muted">The project names no stores. Clients ask the node that they use.</p> : <Stores urls={stores} project={base.slice(1).join("/")} />}
        </div>
      </section>
      <section class="panel" aria-labelledby="contents">
        <div class="panel-head">
          <h3 id="contents">Git bundles</h3>
          <Badge of={contents.loaded} />
        </div>
        <div class="panel-body">
          {contents.items.length === 0 && contents.loaded.status === "proven" && <Empty title="The chain names no content of this project." />}
          {contents.items.length > 0 && (
            <Rows caption="Git bundles of the project" columns={["Digest", ["Published at", "wide"], "This node", ["Block", "number"]]}>
              {shown.map((entry) => (
                <Row key={hex(entry.digest)} project={state.id} entry={entry} />
              ))}
            </Rows>
          )}
          {more}
          <More of={contents} />
        </div>
      </section>
    </>
  );
}

function Row({ project, entry }: { readonly project: Uint8Array; readonly entry: ContentEntry }) {
  const access = useAccess();
  const digest = hex(entry.digest);
  const here = useClaimed(`has ${access.reader} ${hex(project)} ${digest}`, (signal) => inTurn(() => askNode(access, project, digest, signal)));
  return (
    <tr>
      <td>
        <Hash of={digest} length={16} />
      </td>
      <td class="wide wrap muted">{entry.value.url === "" ? "not stated" : visible(entry.value.url)}</td>
      <td data-testid="here">
        {here.status === "claimed" ? here.value : here.status === "verifying" ? "…" : "unknown"} <Badge of={here} small />
      </td>
      <td class="number">
        <a href={href(["block", String(entry.value.blockNumber)])}>{count(entry.value.blockNumber)}</a>
      </td>
    </tr>
  );
}

/**
 * Stores lists the stores that the project names, and what is known about each. The page asks its own node only: stores are URLs that accounts
 * wrote, and neither a browser nor a node requests those because somebody opened a page.
 */
function Stores({ urls, project }: { readonly urls: readonly string[]; readonly project: string }) {
  const { client } = useShared();
  const own = useClaimed("content service", async (signal) => {
    const response = await fetch(`${client.url}/v1/content`, { signal });
    const { url }: { readonly url?: unknown } = response.ok ? await response.json() : {};
    return typeof url === "string" ? url : "";
  });
  return (
    <>
      <ul class="plain">
        {urls.map((url) => (
          <li key={url} class="wrap" data-testid="store">
            <code>{visible(url)}</code>{" "}
            {own.status === "claimed" && own.value !== "" && own.value === url ? (
              <>
                this node: what it has is listed below <Badge of={own} small />
              </>
            ) : (
              <span class="muted">not asked</span>
            )}
          </li>
        ))}
      </ul>
      <p class="muted">The page asks the node that it comes from, and no other host. This command asks every store what it has:</p>
      <Command text={`makechain content status ${project}`} />
    </>
  );
}

/** askNode asks the content service of the node whether it has the bytes of a digest. */
async function askNode(access: Access, project: Uint8Array, digest: string, signal: AbortSignal): Promise<string> {
  const response = await access.get(project, digest, { method: "HEAD", signal });
  if (response.status === 404) return "does not have it";
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return `has ${size(Number(response.headers.get("Content-Length") ?? 0))}`;
}
