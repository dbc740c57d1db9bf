// The differences between two commits, file by file.
import { type Change, diffTrees, type Repository, type TreeDiff as Differences } from "makechain/git";
import { useEffect, useRef, useState } from "preact/hooks";
import { ErrorMessage, Skeleton } from "../components/index.js";
import { count, plural, size } from "../format.js";
import { diffLines, type Edit, hunks, splitLines } from "../diff.js";
import { failure } from "../load.js";
import { href } from "../route.js";
import { Hunks, type Layout } from "./hunks.js";
import { printable } from "./parts.js";
import { decodeText, isBinary } from "./repository.js";

/** How many files of a difference are shown. */
const maxFiles = 300;

/** How many lines of all files are shown without being asked for, and of one file. */
const maxLines = 20_000;
const maxFileLines = 600;

/** The size of files that are compared without being asked for. */
const maxFileBytes = 256_000;

interface TreeDiffProps {
  readonly repository: Repository;
  /** The trees, as ids; nothing is compared with an empty tree. */
  readonly base: string | undefined;
  readonly head: string;
  /** The location of the project and the revision to which links to files lead. */
  readonly location: readonly string[];
  readonly revision: string;
}

/** TreeDiff shows what changed between two trees of verified objects. Files are read when they come into view. */
export function TreeDiff({ repository, base, head, location, revision }: TreeDiffProps) {
  const [state, setState] = useState<{ key: string; found?: Differences; error?: Error }>({ key: "" });
  const [layout, setLayout] = useState<Layout>("unified");
  const budget = useRef(maxLines);
  const key = `${base ?? ""}..${head}`;
  useEffect(() => {
    const abort = new AbortController();
    budget.current = maxLines;
    diffTrees(repository, base, head, maxFiles, abort.signal).then(
      (found) => abort.signal.aborted || setState({ key, found }),
      (error: unknown) => abort.signal.aborted || setState({ key, error: failure(error).error }),
    );
    return () => abort.abort();
  }, [repository, key]);
  const { found, error } = state.key === key ? state : { found: undefined, error: undefined };
  if (error !== undefined) return <ErrorMessage error={error} />;
  if (found === undefined) return <Skeleton lines={10} />;
  return (
    <section class="stack diff" aria-label="Changes" data-testid="diff">
      <div class="diff-bar">
        <strong>{found.truncated ? `More than ${plural(maxFiles, "file")} changed, of which these are the first` : `${plural(found.changes.length, "file")} changed`}</strong>
        <div class="diff-layout" role="group" aria-label="Layout">
          {(["unified", "split"] as const).map((name) => (
            <button key={name} type="button" aria-pressed={layout === name} onClick={() => setLayout(name)}>{name === "unified" ? "Unified" : "Split"}</button>
          ))}
        </div>
      </div>
      {found.changes.length > 1 && <Summary changes={found.changes} />}
      {found.changes.map((change) => (
        <FileDiff key={`${key} ${change.path}`} repository={repository} change={change} layout={layout} budget={budget} link={href([...location, "file", revision, ...change.path.split("/")])} />
      ))}
    </section>
  );
}

const marks = { added: "A", deleted: "D", modified: "M", renamed: "R" } as const;

function Summary({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <details class="panel diff-summary" open={changes.length <= 20}>
      <summary>Files</summary>
      <ul class="plain">
        {changes.map((change) => (
          <li key={change.path}>
            <button type="button" class="link-button" onClick={() => document.getElementById(anchor(change))?.scrollIntoView()}>
              <span class={`mark mark-${change.kind}`} title={change.kind}>{marks[change.kind]}</span>
              {change.from === undefined ? "" : `${printable(change.from)} → `}{printable(change.path)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

const anchor = ({ path }: Change) => `file-${encodeURIComponent(path)}`;

/** Compared is the result of comparing a file: its lines, or why there are none. */
type Compared =
  | { readonly kind: "binary" | "same"; readonly text: string }
  | { readonly kind: "text"; readonly old: string; readonly now: string; readonly oldLines: readonly string[]; readonly newLines: readonly string[]; readonly edits: readonly Edit[]; readonly added: number; readonly deleted: number };

interface FileProps {
  readonly repository: Repository;
  readonly change: Change;
  readonly layout: Layout;
  /** How many lines may still be shown without being asked for. */
  readonly budget: { current: number };
  readonly link: string;
}

function FileDiff({ repository, change, layout, budget, link }: FileProps) {
  const frame = useRef<HTMLElement>(null);
  const [near, setNear] = useState(false);
  const [compared, setCompared] = useState<Compared>();
  const [error, setError] = useState<Error>();
  const [open, setOpen] = useState(true);
  useEffect(() => {
    if (frame.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setNear(true), { rootMargin: "600px" });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!near) return undefined;
    const abort = new AbortController();
    compare(repository, change, abort.signal).then(
      (result) => {
        if (abort.signal.aborted) return;
        const lines = result.kind === "text" ? result.added + result.deleted : 0;
        const large = lines > maxFileLines || (result.kind === "text" && Math.max(result.old.length, result.now.length) > maxFileBytes);
        if (large || lines > budget.current) setOpen(false);
        else budget.current -= lines;
        setCompared(result);
      },
      (reason: unknown) => abort.signal.aborted || setError(failure(reason).error),
    );
    return () => abort.abort();
  }, [near]);
  return (
    <section ref={frame} id={anchor(change)} class="panel file-diff" aria-label={printable(change.path)} data-kind={change.kind}>
      <div class="panel-head">
        <span class={`mark mark-${change.kind}`} title={change.kind}>{marks[change.kind]}</span>
        <h3>{change.from === undefined ? "" : `${printable(change.from)} → `}{change.kind === "deleted" ? printable(change.path) : <a href={link}>{printable(change.path)}</a>}</h3>
        {compared?.kind === "text" && <span class="small"><span class="plus">+{count(compared.added)}</span> <span class="minus">−{count(compared.deleted)}</span></span>}
        {compared?.kind === "text" && <button type="button" class="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Collapse" : "Show"}</button>}
      </div>
      {change.before !== undefined && change.after !== undefined && change.before.mode !== change.after.mode && (
        <p class="panel-body muted">The mode changed from {change.before.mode} to {change.after.mode}.</p>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      {error === undefined && compared === undefined && <Skeleton lines={6} />}
      {(compared?.kind === "binary" || compared?.kind === "same") && <p class="panel-body muted">{compared.text}</p>}
      {compared?.kind === "text" && !open && <p class="panel-body muted">{plural(compared.added + compared.deleted, "line")} changed.</p>}
      {compared?.kind === "text" && open && <Hunks hunks={hunks(compared.oldLines, compared.newLines, compared.edits)} old={compared.old} now={compared.now} name={change.path} layout={layout} />}
    </section>
  );
}

async function compare(repository: Repository, { kind, before, after }: Change, signal: AbortSignal): Promise<Compared> {
  if (before?.kind === "commit" || after?.kind === "commit") {
    return { kind: "same", text: `The submodule was ${before?.id.slice(0, 10) ?? "nothing"} and is ${after?.id.slice(0, 10) ?? "nothing"}.` };
  }
  if (kind === "renamed") return { kind: "same", text: "The file was renamed without changes." };
  if (before?.id === after?.id) return { kind: "same", text: "The content is the same." };
  const read = async (id: string | undefined) => (id === undefined ? new Uint8Array() : repository.blob(id, signal));
  const [left, right] = await Promise.all([read(before?.id), read(after?.id)]);
  if (isBinary(left) || isBinary(right)) return { kind: "binary", text: `A binary file: ${size(left.length)} before, ${size(right.length)} after.` };
  const old = decodeText(left), now = decodeText(right);
  const oldLines = splitLines(old), newLines = splitLines(now);
  const edits = diffLines(oldLines, newLines);
  const sum = (length: (edit: Edit) => number) => edits.reduce((total, edit) => total + length(edit), 0);
  return { kind: "text", old, now, oldLines, newLines, edits, added: sum((edit) => edit.newEnd - edit.newStart), deleted: sum((edit) => edit.oldEnd - edit.oldStart) };
}
