import { type Client, type Evidence, withSteps } from "makechain";
import { chainHash, Log, objectId, type Repository } from "makechain/git";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ErrorMessage, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { count, plural } from "../format.js";
import { CommitList, type Listed, listed } from "../git/log.js";
import { CodeBar, errorOf, printable } from "../git/parts.js";
import { refLabel } from "../git/repository.js";
import { useOpened, useRevision } from "../git/use.js";
import { Graph } from "../graph.js";
import { failure, type Loaded } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import { NoCode } from "./tree.js";

/** How many commits are read at a time. */
const pageSize = 100;

/** Commits shows the history of a revision with its graph. Every commit is verified: its id is in one that was verified before. */
export default function Commits(props: ProjectViewProps) {
  const opened = useOpened(props);
  const { project, base } = props;
  const loaded = useRevision(props, { ...opened, path: [] }, "commits", async (revision) => revision);
  const error = errorOf(loaded);
  const [walked, setWalked] = useState<Loaded<unknown>>();
  if (opened.name === "") return <NoCode />;
  return (
    <div class="stack">
      <CodeBar project={project} base={base} view="commits" revision={opened.name} path={[]} loaded={walked ?? loaded}>
        <a href={href([...base, "tree", opened.name])}>Files</a>
      </CodeBar>
      {error !== undefined && <ErrorMessage error={error} />}
      {loaded.status === "verifying" && <Skeleton lines={14} />}
      {loaded.status === "proven" && (
        <History key={loaded.value.commit.id} start={loaded.value.commit.id} evidence={loaded.evidence} repository={opened.repository} props={props} report={setWalked} />
      )}
    </div>
  );
}

interface HistoryProps {
  readonly start: string;
  readonly evidence: Evidence;
  readonly repository: Repository;
  readonly props: ProjectViewProps;
  /** Reports what is known about the commits that were read. */
  readonly report: (loaded: Loaded<unknown> | undefined) => void;
}

/** Walk is a history that is being read. */
interface Walk {
  readonly log: Log;
  readonly graph: Graph;
  readonly commits: Listed[];
  readonly hint: Hint;
  reading: boolean;
}

function History({ start, evidence, repository, props: { project, base }, report }: HistoryProps) {
  const { client } = useShared();
  const walk = useRef<Walk | undefined>(undefined);
  walk.current ??= { log: new Log(repository, [start]), graph: new Graph(), commits: [], hint: new Hint(client, repository, project.value.id, start), reading: false };
  const abort = useRef<AbortController | undefined>(undefined);
  const [state, setState] = useState<{ shown: number; error?: Error }>({ shown: 0 });
  const more = useCallback(async () => {
    const current = walk.current;
    const signal = abort.current?.signal;
    if (current === undefined || signal === undefined || current.reading || current.log.done) return;
    current.reading = true;
    try {
      await current.hint.next(signal);
      const page = await current.log.page(pageSize, signal);
      for (const commit of page) current.commits.push(listed(commit, current.graph.add(commit.id, commit.parents)));
      const detail = `${plural(current.commits.length, "commit")}: the id of each is in a commit before it, and was recomputed`;
      report({ status: "proven", value: undefined, evidence: withSteps(evidence, { name: "object", detail }) });
      setState({ shown: current.commits.length });
    } catch (reason) {
      if (signal.aborted) return;
      const failed = failure(reason);
      report(failed);
      setState({ shown: current.commits.length, error: failed.error });
    } finally {
      current.reading = false;
    }
  }, []);
  useEffect(() => {
    abort.current = new AbortController();
    void more();
    return () => {
      abort.current?.abort();
      report(undefined);
    };
  }, []);
  const refs = new Map<string, string[]>();
  for (const { name, value } of project.value.refs) {
    const id = objectId(value.hash);
    refs.set(id, [...(refs.get(id) ?? []), printable(refLabel(name))]);
  }
  const { commits, log } = walk.current;
  return (
    <>
      {state.shown === 0 && state.error === undefined && <Skeleton lines={14} />}
      {state.shown > 0 && <CommitList commits={commits} base={base} refs={refs} end={state.error === undefined && !log.done ? more : undefined} />}
      {state.error !== undefined && <ErrorMessage error={state.error} retry={() => (setState({ shown: state.shown }), void more())} />}
      {state.shown > 0 && state.error === undefined && (
        <div class="more" aria-live="polite">
          {log.done ? <p class="muted">{count(state.shown)} commits, from the first one.</p> : <button type="button" onClick={() => void more()}>Show more</button>}
        </div>
      )}
    </>
  );
}

/** Hint asks the node which commits come next, so that they can be read at the same time. It decides nothing about what is shown. */
class Hint {
  private cursor: Uint8Array | undefined = new Uint8Array();

  constructor(
    private readonly client: Client,
    private readonly repository: Repository,
    private readonly project: Uint8Array,
    private readonly start: string,
  ) {}

  async next(signal: AbortSignal): Promise<void> {
    if (this.cursor === undefined) return;
    try {
      const request = { projectId: this.project, commitHash: chainHash(this.start), limit: pageSize, cursor: this.cursor };
      const { commits, nextCursor } = await this.client.calls.getCommitAncestors(request, { signal });
      this.cursor = nextCursor.length > 0 ? nextCursor : undefined;
      this.repository.prefetch(commits.map(({ hash }) => objectId(hash)), signal);
    } catch {
      this.cursor = undefined; // the walk works without it
    }
  }
}
