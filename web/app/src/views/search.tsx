// Search: goes to what the text names, or lists what the node finds.
import { type Client, rows } from "makechain";
import { useEffect } from "preact/hooks";
import type { ViewProps } from "../app.js";
import { AccountLink, Badge, Empty, ErrorMessage, More, ProjectLink, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { address, count, hex, parseHex, visible } from "../format.js";
import { Heading } from "../heading.js";
import { byCursor, useClaimed, usePages } from "../load.js";
import { inTurn, projectName } from "../names.js";
import { type Meaning, recognize } from "../recognize.js";
import { href, parseRoute } from "../route.js";

const pageSize = 20;
/** In how many projects a commit is searched. */
const searchedProjects = 50;

/** Target is a place that exists. */
interface Target {
  readonly label: string;
  readonly path: readonly string[];
}

export default function Search({ route }: ViewProps) {
  const query = (route.query.get("q") ?? "").trim();
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title={query === "" ? "Search" : `Search: ${query}`}>{query === "" ? "Search" : <>Search for “{visible(query)}”</>}</Heading>
      </div>
      {query === "" ? <Empty title="Type a name, a hash, an address, a key or the number of a block into the search box." /> : <Results key={query} query={query} stay={route.query.has("all")} />}
    </div>
  );
}

function Results({ query, stay }: { readonly query: string; readonly stay: boolean }) {
  const { client } = useShared();
  const targets = useClaimed(`targets ${query}`, (signal) => find(client, query, signal));
  const names = /^[^/]{1,64}$/.test(query) && parseHex(query.replace(/^0x/i, ""))?.length !== 32;
  const accounts = usePages(`accounts ${query}`, (signal) =>
    byCursor(async (cursor) => {
      if (!names) return { items: [], nextCursor: new Uint8Array() };
      const page = await client.calls.searchAccounts({ query, limit: pageSize, cursor }, { signal });
      return { items: page.accounts, nextCursor: page.nextCursor };
    }),
  );
  const projects = usePages(`projects ${query}`, (signal) =>
    byCursor(async (cursor) => {
      if (!names) return { items: [], nextCursor: new Uint8Array() };
      const page = await client.calls.searchProjects({ query, limit: pageSize, cursor }, { signal });
      return { items: page.projects, nextCursor: page.nextCursor };
    }),
  );
  const isCommit = recognize(query).some(({ kind }) => kind === "commit");
  const exact = targets.status === "claimed" ? targets.value : [];
  const settled = targets.status === "claimed" && accounts.loaded.status === "claimed" && projects.loaded.status === "claimed";
  const others = [...accounts.items.map((account) => href(["account", account.username])), ...projects.items.map((project) => hex(project.projectId))];
  const only = settled && !stay && exact.length === 1 && others.filter((other) => other !== href(exact[0]?.path ?? [])).length === 0 ? exact[0] : undefined;
  useEffect(() => {
    // The user may have left the search meanwhile. It is replaced in the history, so that "back" does not return to it.
    if (only !== undefined && parseRoute(location.hash).path[0] === "search") location.replace(href(only.path));
  }, [only]);
  const nothing = settled && exact.length === 0 && accounts.items.length === 0 && projects.items.length === 0;
  return (
    <>
      {targets.status === "failed" && <ErrorMessage error={targets.error} />}
      {exact.length > 0 && (
        <section class="panel" aria-labelledby="exact">
          <div class="panel-head">
            <h2 id="exact">Exactly this</h2>
          </div>
          <ul class="plain panel-body people">
            {exact.map((target) => (
              <li key={href(target.path)}>
                <a href={href(target.path)}>{target.label}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {nothing && (
        <Empty title="Nothing was found." command="makechain project list">
          <p>Names are found by their beginning and by words of the description. Hashes must be complete.</p>
          {isCommit && <p>A commit is looked for in the first {searchedProjects} projects that the node lists: there is no index of all commits. Open the project and its commits instead.</p>}
        </Empty>
      )}
      {!settled && <Skeleton lines={6} />}
      {accounts.items.length > 0 && (
        <section class="panel" aria-labelledby="accounts">
          <div class="panel-head">
            <h2 id="accounts">Accounts</h2>
            <Badge of={accounts.loaded} />
          </div>
          <ul class="plain panel-body people">
            {accounts.items.map((account) => (
              <li key={address(account.ownerAddress)}>
                <span>
                  <AccountLink address={account.ownerAddress} name={account.username} /> <span class="muted">{visible(account.displayName)}</span>
                </span>
                <span class="muted">{count(account.projectCount)} projects</span>
              </li>
            ))}
          </ul>
          <div class="panel-more">
            <More of={accounts} />
          </div>
        </section>
      )}
      {projects.items.length > 0 && (
        <section class="panel" aria-labelledby="projects">
          <div class="panel-head">
            <h2 id="projects">Projects</h2>
            <Badge of={projects.loaded} />
          </div>
          <ul class="plain cards">
            {projects.items.map((project) => (
              <li key={hex(project.projectId)}>
                <p>
                  <ProjectLink id={project.projectId} />
                </p>
                <p class="muted clamp">{visible(project.description) || "No description"}</p>
              </li>
            ))}
          </ul>
          <div class="panel-more">
            <More of={projects} />
          </div>
        </section>
      )}
    </>
  );
}

/** find returns what exists of the meanings of a text. */
async function find(client: Client, query: string, signal: AbortSignal): Promise<Target[]> {
  const found = await Promise.all(recognize(query).map((meaning) => lookUp(client, meaning, signal).catch(() => [])));
  return found.flat();
}

async function lookUp(client: Client, meaning: Meaning, signal: AbortSignal): Promise<Target[]> {
  switch (meaning.kind) {
    case "block": {
      const { currentBlock } = await client.calls.getNodeStatus({}, { signal });
      return meaning.number <= currentBlock ? [{ label: `Block ${count(meaning.number)}`, path: ["block", String(meaning.number)] }] : [];
    }
    case "account": {
      const { value } = await client.resolveAccount(meaning.name);
      const account = await client.row(rows.account, value);
      return account.value === undefined ? [] : [{ label: `Account ${meaning.name}`, path: ["account", meaning.name] }];
    }
    case "project":
      await client.resolveProject(meaning.name);
      return [{ label: `Project ${meaning.name}`, path: ["project", ...meaning.name.split("/")] }];
    case "hash":
      return lookUpHash(client, meaning.hash, signal);
    case "commit":
      return lookUpCommit(client, meaning.id, signal);
    case "key": {
      const owner = await client.row(rows.keyOwner, parseHex(meaning.key) ?? new Uint8Array());
      return owner.value === undefined ? [] : [{ label: `Key of ${address(owner.value.ownerAddress)}`, path: ["account", address(owner.value.ownerAddress), "keys"] }];
    }
  }
}

/** lookUpHash finds a project or a message. A project has the hash of the message that created it, so then both exist. */
async function lookUpHash(client: Client, text: string, signal: AbortSignal): Promise<Target[]> {
  const hash = parseHex(text) ?? new Uint8Array();
  const [project, message] = await Promise.all([
    client.row(rows.project, hash).then(({ value }) => value !== undefined, () => false),
    client.calls.getMessage({ hash }, { signal }).then(() => true, () => false),
  ]);
  return [
    ...(project ? [{ label: `Project ${text.slice(0, 8)}`, path: ["project", text] }] : []),
    ...(message ? [{ label: `Message ${text.slice(0, 8)}`, path: ["message", text] }] : []),
  ];
}

/** lookUpCommit finds the projects that have a commit, among the first that the node lists: there is no index of all commits. */
async function lookUpCommit(client: Client, id: string, signal: AbortSignal): Promise<Target[]> {
  const commitHash = parseHex(id.padEnd(64, "0")) ?? new Uint8Array();
  const { projects } = await client.calls.listProjects({ limit: searchedProjects }, { signal });
  const found = await Promise.all(
    projects.map(({ projectId }) =>
      inTurn(() =>
        client.calls.getCommit({ projectId, commitHash }, { signal }).then(
          async () => [{ label: `Commit ${id.slice(0, 8)} in ${(await projectName(client, projectId)) || hex(projectId).slice(0, 8)}`, path: ["project", hex(projectId), "commit", id] }],
          () => [],
        ),
      ),
    ),
  );
  return found.flat();
}
