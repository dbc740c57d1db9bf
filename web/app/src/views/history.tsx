import { withSteps } from "makechain";
import { type Commit, nameBytes, PathHint, PathLog, type Repository } from "makechain/git";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Badge, ErrorMessage, Skeleton } from "../components/index.js";
import { plural } from "../format.js";
import type { Access } from "../git/access.js";
import { CommitList, type Listed, listed } from "../git/log.js";
import { CodeBar, errorOf } from "../git/parts.js";
import type { Revision } from "../git/repository.js";
import { useOpened, useRevision } from "../git/use.js";
import { failure, type Loaded } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import { NoCode } from "./tree.js";

/** How many changes are shown at a time, and how many commits are examined for them when the node gives no hint. */
const pageSize = 30;
const examined = 300;

/** History shows the commits that changed a path. */
export default function History(props: ProjectViewProps) {
  const opened = useOpened(props);
  const { project, base } = props;
  const { repository, name, path } = opened;
  const loaded = useRevision(props, opened, "history", async ({ value: revision, evidence }, signal) => {
    const found = await repository.find(revision.commit, path, signal);
    return { value: { revision, kind: found.kind }, evidence: withSteps(evidence, ...found.steps) };
  });
  if (name === "") return <NoCode />;
  const error = errorOf(loaded);
  const view = loaded.status === "proven" && loaded.value.kind !== "tree" ? "file" : "tree";
  return (
    <div class="stack">
      <CodeBar project={project} base={base} view="history" revision={name} path={path} loaded={loaded}>
        <a href={href([...base, view, name, ...path])}>{view === "file" ? "File" : "Files"}</a>
      </CodeBar>
      {error !== undefined && <ErrorMessage error={error} />}
      {loaded.status === "verifying" && <Skeleton lines={10} />}
      {loaded.status === "proven" && <Changes key={loaded.value.revision.commit.id} repository={repository} access={opened.access} project={project.value.id} revision={loaded.value.revision} base={base} path={path} />}
    </div>
  );
}

interface ChangesProps {
  readonly repository: Repository;
  readonly access: Access;
  readonly project: Uint8Array;
  readonly revision: Revision;
  readonly base: readonly string[];
  readonly path: readonly string[];
}

interface Source {
  /** Whether there are more commits. */
  done: boolean;
  next(signal: AbortSignal): Promise<Commit[]>;
}

function Changes({ access, repository, project, revision, base, path }: ChangesProps) {
  const source = useRef<Source | undefined>(undefined);
  const hinted = useRef(true);
  const [commits, setCommits] = useState<readonly Listed[]>([]);
  const [busy, setBusy] = useState(true);
  const [error, setError] = useState<Error>();
  const abort = useRef<AbortController | undefined>(undefined);
  const more = useCallback(async () => {
    const signal = abort.current?.signal;
    if (signal === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      if (source.current === undefined) {
        const hint = await openHint(access, repository, project, revision, path, signal);
        hinted.current = hint !== undefined;
        source.current = hint ?? walk(repository, revision, path);
      }
      const found = await source.current.next(signal);
      setCommits((last) => [...last, ...found.map((commit) => listed(commit))]);
    } catch (reason) {
      if (!signal.aborted) setError(failure(reason).error);
    } finally {
      if (!signal.aborted) setBusy(false);
    }
  }, []);
  useEffect(() => {
    abort.current = new AbortController();
    void more();
    return () => abort.current?.abort();
  }, []);
  const done = source.current?.done ?? false;
  const status: Loaded<unknown> = error !== undefined ? failure(error) : { status: "claimed", value: undefined };
  return (
    <>
      {hinted.current && commits.length > 0 && (
        <p class="muted small">
          Each commit below was verified to change the path, and to follow from the one above it. That no change which was undone later is missing is the node's word. <Badge of={status} small />
        </p>
      )}
      {commits.length > 0 && <CommitList commits={commits} base={base} />}
      {busy && <Skeleton lines={commits.length === 0 ? 10 : 3} />}
      {error !== undefined && <ErrorMessage error={error} retry={() => void more()} />}
      {!busy && error === undefined && (
        <div class="more">
          {done ? <p class="muted">{plural(commits.length, "commit")} changed the path.</p> : <button type="button" onClick={() => void more()}>{commits.length === 0 ? "No change yet: search further back" : "Show more"}</button>}
        </div>
      )}
    </>
  );
}

/** walk finds changes in verified commits only, without a hint. */
function walk(repository: Repository, revision: Revision, path: readonly string[]): Source {
  const log = new PathLog(repository, revision.commit.id, path);
  return {
    done: false,
    async next(signal) {
      const found = await log.page(pageSize, examined, signal);
      this.done = log.done;
      return found;
    },
  };
}

/** openHint asks the node which commits changed a path. It returns undefined if the node has no such answer. */
async function openHint(access: Access, repository: Repository, project: Uint8Array, revision: Revision, path: readonly string[], signal: AbortSignal): Promise<Source | undefined> {
  const request = async (cursor: string) => {
    // Names are bytes, which need not be UTF-8.
    const name = path.map((part) => Array.from(nameBytes(part), (byte) => "%" + byte.toString(16).padStart(2, "0")).join("")).join("/");
    const page = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await access.get(project, `history/${revision.commit.id}?path=${name}&limit=${pageSize}${page}`, { signal });
    if (!response.ok) return undefined;
    const answer = (await response.json()) as { commits?: unknown; next_cursor?: unknown };
    if (!Array.isArray(answer.commits) || !answer.commits.every((id) => typeof id === "string") || answer.commits.length > 10 * pageSize) return undefined;
    return { ids: answer.commits as string[], cursor: typeof answer.next_cursor === "string" ? answer.next_cursor : "" };
  };
  if (path.length === 0) return undefined;
  const [first, tip] = await Promise.all([request(""), repository.identify(revision.commit.tree, path, signal)]);
  if (first === undefined) return undefined;
  const hint = new PathHint(repository, path, tip);
  let page: typeof first | undefined = first;
  let cursor = "";
  const source: Source = {
    done: false,
    async next(signal) {
      page ??= await request(cursor);
      if (page === undefined) throw new Error("The node returned no further page.");
      const commits = await hint.verify(page.ids, page.cursor === "", signal);
      source.done = page.cursor === "";
      cursor = page.cursor;
      page = undefined;
      return commits;
    },
  };
  return source;
}
