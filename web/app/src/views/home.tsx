// The start of the page: what happens on the chain now.
import { type Client, fromHex, type GetProjectResponse, MessageType } from "makechain";
import { useMemo } from "preact/hooks";
import { AccountLink, Ago, Badge, Empty, ErrorMessage, Hash, ProjectLink, Skeleton } from "../components/index.js";
import { Plot } from "../components/plot.js";
import { useShared } from "../context.js";
import { count, hex, plural, shorten, visible, words } from "../format.js";
import { Heading } from "../heading.js";
import { useHeld } from "../held.js";
import type { LiveBlock, LiveMessage } from "../live-block.js";
import { useLiveBlocks } from "../live-blocks.js";
import { type Loaded, useClaimed } from "../load.js";
import { projectOf } from "../message.js";
import { newestMessages } from "../newest.js";
import { href } from "../route.js";

/** How many blocks, messages and projects are listed, and how many blocks are plotted. */
const listed = 12;
const plotted = 60;
const recent = 6;

const claimed: Loaded<undefined> = { status: "claimed", value: undefined };
const waitingForNode: Loaded<undefined> = { status: "verifying" };

export default function Home() {
  const { client } = useShared();
  const blocks = useLiveBlocks();
  const newest = blocks[0]?.number ?? 0;
  const totals = useClaimed("home totals", (signal) => client.calls.getChainStats({}, { signal }));
  const chain = useClaimed("home chain", (signal) => client.calls.getNodeStatus({}, { signal }));
  const messages = useMemo(() => blocks.flatMap((block) => block.messages).slice(0, listed), [blocks]);
  const live = blocks.length === 0 ? waitingForNode : claimed;
  return (
    <div class="stack home">
      <div class="title-row">
        <Heading title="Home">{chain.status === "claimed" ? chain.value.chainId : "Makechain"}</Heading>
        <p class="muted">Projects, commits and merge requests on a ledger, verified in your browser.</p>
      </div>
      <section class="tiles" aria-label="Totals">
        <Tile name="Block" value={newest || undefined} fallback={totals.status === "claimed" ? Number(totals.value.blockHeight) : undefined} />
        <Tile name="Messages" value={totals.status === "claimed" ? Number(totals.value.totalMessages) : undefined} />
        <Tile name="Projects" value={totals.status === "claimed" ? totals.value.totalProjects : undefined} />
        <Tile name="Commits" value={totals.status === "claimed" ? totals.value.totalCommits : undefined} />
        <Tile name="Accounts" value={totals.status === "claimed" ? totals.value.totalAccounts : undefined} />
        <div class="tile tile-badge">
          <Badge of={totals} />
        </div>
      </section>
      <Plots blocks={blocks.slice(0, plotted)} />
      <div class="columns">
        <Live title="Blocks" more="#/blocks" of={live} entries={blocks.slice(0, listed)} keyOf={(block) => block.number} row={(block) => <BlockRow block={block} />} />
        <Live title="Messages" more="#/messages" of={live} entries={messages} keyOf={(message) => message.hash} row={(message) => <MessageRow message={message} />} />
      </div>
      <Projects client={client} />
    </div>
  );
}

function Tile({ name, value, fallback }: { readonly name: string; readonly value: number | undefined; readonly fallback?: number | undefined }) {
  const shown = value ?? fallback;
  return (
    <div class="tile">
      <span class="tile-name">{name}</span>
      <span class="tile-value">{shown === undefined ? " " : count(shown)}</span>
    </div>
  );
}

/** Plots shows the messages of the newest blocks and how the height grew. */
function Plots({ blocks }: { readonly blocks: readonly LiveBlock[] }) {
  const ordered = [...blocks].reverse();
  const first = ordered[0];
  const last = ordered.at(-1);
  const total = ordered.reduce((sum, block) => sum + block.count, 0);
  const seconds = first === undefined || last === undefined ? 0 : last.time - first.time;
  return (
    <section class="plots" aria-label="Rate and height">
      <figure>
        <figcaption>
          Messages in each block <span class="muted">{blocks.length === 0 ? "" : `${count(total)} in ${count(blocks.length)} blocks`}</span>
        </figcaption>
        <Plot kind="bars" label={`Messages in each of the newest ${blocks.length} blocks`} values={ordered.map((block) => block.count)} />
      </figure>
      <figure>
        <figcaption>
          Height over time <span class="muted">{seconds > 0 ? `${(blocks.length / seconds).toPrecision(2)} blocks/s` : ""}</span>
        </figcaption>
        <Plot kind="line" label={`Height over the last ${seconds} seconds`} values={overTime(ordered)} />
      </figure>
    </section>
  );
}

/** overTime returns the height at equal steps of time between the first and the last block. */
function overTime(blocks: readonly LiveBlock[]): number[] {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined || last.time <= first.time) return [];
  let at = 0;
  return Array.from({ length: plotted }, (_, step) => {
    const time = first.time + ((last.time - first.time) * step) / (plotted - 1);
    while (at + 1 < blocks.length && (blocks[at + 1]?.time ?? Infinity) <= time) at++;
    return blocks[at]?.number ?? 0;
  });
}

interface LiveProps<T> {
  readonly title: string;
  readonly more: string;
  readonly of: Loaded<undefined>;
  readonly entries: readonly T[];
  readonly keyOf: (entry: T) => string | number;
  readonly row: (entry: T) => preact.JSX.Element;
}

/** Live is a list of the newest entries. It does not change while the pointer or the focus is in it. */
function Live<T>({ title, more, of: loaded, entries, keyOf, row }: LiveProps<T>) {
  const held = useHeld(entries, keyOf);
  const id = `live-${title.toLowerCase()}`;
  return (
    <section class="panel live" aria-labelledby={id} {...held.handlers}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        <Badge of={loaded} />
        {held.waiting > 0 ? (
          <button type="button" class="quiet" onClick={held.release}>
            {held.waiting} new
          </button>
        ) : (
          <a href={more}>All</a>
        )}
      </div>
      {loaded.status === "verifying" ? (
        <Skeleton class="panel-body" lines={listed} />
      ) : (
        <ol class="plain live-rows">
          {held.shown.map((entry) => (
            <li key={keyOf(entry)}>{row(entry)}</li>
          ))}
        </ol>
      )}
      {loaded.status === "claimed" && entries.length === 0 && <p class="panel-body muted">None in the newest blocks.</p>}
    </section>
  );
}

function BlockRow({ block }: { readonly block: LiveBlock }) {
  return (
    <>
      <a class="live-main" href={href(["block", String(block.number)])}>
        {count(block.number)}
      </a>
      <span class="live-text">
        <Hash of={block.hash} copy={false} />
      </span>
      <span class={block.count === 0 ? "muted" : undefined}>{plural(block.count, "message")}</span>
      <span class="live-time muted">
        <Ago time={block.time} />
      </span>
    </>
  );
}

function MessageRow({ message }: { readonly message: LiveMessage }) {
  return (
    <>
      <a class="live-main" href={href(["message", message.hash])} title={message.hash}>
        {words(message.type)}
      </a>
      <span class="live-text">
        <AccountLink address={fromHex(message.owner)} />
        {message.project !== "" && (
          <>
            {" in "}
            <ProjectLink id={fromHex(message.project)} />
          </>
        )}
      </span>
      <span class="live-time muted">
        <Ago time={message.time} />
      </span>
    </>
  );
}

/** recentProjects returns the projects of the newest messages about projects, and others when these are few. */
async function recentProjects(client: Client, signal: AbortSignal): Promise<GetProjectResponse[]> {
  const ids = new Map<string, Uint8Array>();
  const { currentBlock } = await client.calls.getNodeStatus({}, { signal });
  for await (const page of newestMessages(client, currentBlock, undefined, signal)) {
    for (const { message } of page.value) {
      const id = message.data?.type === MessageType.LINK_ADD ? undefined : projectOf(message);
      if (id !== undefined && ids.size < recent) ids.set(hex(id), id);
    }
    break;
  }
  const found = await Promise.all([...ids.values()].map((projectId) => client.calls.getProject({ projectId }, { signal }).catch(() => undefined)));
  const projects = found.filter((project) => project !== undefined && project.status !== "removed" && project.name !== "") as GetProjectResponse[];
  if (projects.length >= recent) return projects;
  const others = await client.calls.listProjects({ limit: recent }, { signal });
  return [...projects, ...others.projects.filter((project) => !ids.has(hex(project.projectId)))].slice(0, recent);
}

function Projects({ client }: { readonly client: Client }) {
  const projects = useClaimed("home projects", (signal) => recentProjects(client, signal));
  return (
    <section class="panel" aria-labelledby="recent">
      <div class="panel-head">
        <h2 id="recent">Recent projects</h2>
        <Badge of={projects} />
      </div>
      {projects.status === "verifying" && <Skeleton class="panel-body" lines={6} />}
      {projects.status === "failed" && <ErrorMessage error={projects.error} />}
      {projects.status === "claimed" && projects.value.length === 0 && (
        <Empty title="There are no projects yet." command="makechain project create hello" />
      )}
      {projects.status === "claimed" && projects.value.length > 0 && (
        <ul class="plain cards">
          {projects.value.map((project) => (
            <li key={hex(project.projectId)}>
              <p>
                <ProjectLink id={project.projectId} /> {project.status === "archived" && <span class="tag">archived</span>}
                {project.forkSource.length > 0 && <span class="tag">fork</span>}
              </p>
              <p class="muted clamp">{visible(project.description) || "No description"}</p>
              <p class="muted small">
                {plural(project.commitCount, "commit")}, {plural(project.refCount, "ref")} · {shorten(hex(project.projectId))}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
