import { withSteps } from "makechain";
import type { Entry } from "makechain/git";
import { useState } from "preact/hooks";
import { Empty, ErrorMessage, Skeleton } from "../components/index.js";
import { count, plural } from "../format.js";
import { CodeBar, errorOf, printable } from "../git/parts.js";
import { Readme } from "../git/readme.js";
import type { Revision } from "../git/repository.js";
import { useOpened, useRevision } from "../git/use.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import { File } from "./file.js";

/** How many entries of a directory are shown. */
const maxEntries = 20_000;

/** How many entries are shown at first. */
const firstEntries = 500;

/** Tree shows a directory of a proven commit: its entries, and its README. A path that is a file is shown as a file. */
export default function Tree(props: ProjectViewProps) {
  const opened = useOpened(props);
  const { project, base, route } = props;
  const { repository, name, path } = opened;
  const loaded = useRevision(props, opened, "tree", async ({ value: revision, evidence }, signal) => {
    const found = await repository.find(revision.commit, path, signal);
    const entries = found.kind === "tree" ? await repository.tree(found.id, signal) : undefined;
    return { value: { revision, entries }, evidence: withSteps(evidence, ...found.steps) };
  });
  if (name === "") return <NoCode />;
  if (loaded.status === "proven" && loaded.value.entries === undefined) return <File {...props} />;
  const error = errorOf(loaded);
  const links = path.length === 0 ? href([...base, "commits", name]) : href([...base, "history", name, ...path]);
  return (
    <div class="stack">
      <CodeBar project={project} base={base} view="tree" revision={name} path={path} loaded={loaded}>
        <a href={links}>{path.length === 0 ? "Commits" : "History"}</a>
      </CodeBar>
      {error !== undefined && <ErrorMessage error={error} />}
      {loaded.status === "verifying" && <Skeleton lines={12} />}
      {loaded.status === "proven" && loaded.value.entries !== undefined && (
        <>
          <Entries key={name + "\0" + path.join("\0")} entries={loaded.value.entries} base={base} revision={loaded.value.revision} path={path} />
          <Readme repository={repository} base={base} revision={name} commit={loaded.value.revision.commit} directory={path} entries={loaded.value.entries} section={route.query.get("section")} />
        </>
      )}
    </div>
  );
}

/** NoCode is what a project without refs shows. */
export function NoCode() {
  return <Empty title="Nothing was pushed to this project yet." command="git push makechain://OWNER/NAME main" />;
}

interface EntriesProps {
  readonly entries: readonly Entry[];
  readonly base: readonly string[];
  readonly revision: Revision;
  readonly path: readonly string[];
}

const icons = {
  tree: "M1.5 4.5v8h13v-7h-6l-1.5-2h-5.5z",
  file: "M4 1.5h5l3 3v10H4zM9 1.5v3h3",
  executable: "M4 1.5h5l3 3v10H4zM6 8l1.5 1.5L6 11m3 0h1.5",
  link: "M4 1.5h5l3 3v10H4zM6 11c0-2 1-3 4-3m-1.5-1.5L10 8 8.5 9.5",
  commit: "M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM1.5 8h4m5 0h4",
} as const;

const kindNames = { tree: "directory", file: "file", executable: "executable file", link: "symbolic link", commit: "submodule" } as const;

function Entries({ entries, base, revision, path }: EntriesProps) {
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  const sorted = [...entries.filter(({ kind }) => kind === "tree"), ...entries.filter(({ kind }) => kind !== "tree")];
  const wanted = filter.toLowerCase();
  const found = sorted.slice(0, maxEntries).filter(({ name }) => name.toLowerCase().includes(wanted));
  const shown = all ? found : found.slice(0, firstEntries);
  const link = ({ kind, name }: Entry) => href([...base, kind === "tree" ? "tree" : "file", revision.name, ...path, name]);
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    const first = found[0];
    if (first !== undefined) location.hash = link(first);
  };
  return (
    <section class="panel" aria-label="Directory">
      <div class="panel-head">
        <span class="muted">{plural(entries.length, "entry", "entries")}{entries.length > maxEntries ? `, of which the first ${count(maxEntries)} are shown` : ""}</span>
        <form class="entry-filter" role="search" onSubmit={open}>
          <input type="search" aria-label="Filter the entries; Enter opens the first one" placeholder="Go to file" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </form>
      </div>
      <ul class="entries plain">
        {path.length > 0 && wanted === "" && (
          <li><a class="entry" href={href([...base, "tree", revision.name, ...path.slice(0, -1)])} aria-label="Parent directory"><span class="entry-icon" aria-hidden="true">↰</span> ..</a></li>
        )}
        {shown.map((entry) => (
          <li key={entry.name}>
            <a class="entry" href={link(entry)}>
              <svg class="entry-icon" viewBox="0 0 16 16" aria-hidden="true"><path d={icons[entry.kind]} /></svg>
              <span class="hidden">{kindNames[entry.kind]} </span>
              {printable(entry.name)}
              {entry.kind === "commit" && <span class="muted"> @ {entry.id.slice(0, 10)}</span>}
            </a>
          </li>
        ))}
      </ul>
      {shown.length < found.length && <div class="panel-body"><button type="button" onClick={() => setAll(true)}>Show all {count(found.length)} entries</button></div>}
      {found.length === 0 && <p class="panel-body muted">No entry matches.</p>}
    </section>
  );
}
