// Parts that the views of code share.
import type { Proven, ProjectState } from "makechain";
import type { Ident } from "makechain/git";
import type { ComponentChildren } from "preact";
import { Badge } from "../components/index.js";
import { visible } from "../format.js";
import { Heading } from "../heading.js";
import type { Loaded } from "../load.js";
import { href } from "../route.js";
import { refLabel } from "./repository.js";

/** printable returns the name of a file or ref for display: characters that cannot be seen, and bytes that are not UTF-8, are escaped. */
export function printable(name: string): string {
  const escaped = name.replace(/[\u{10ff00}-\u{10ffff}]/gu, (character) => `\\x${((character.codePointAt(0) ?? 0) & 0xff).toString(16)}`);
  return visible(escaped).replace(/[\t\n]/g, (character) => (character === "\t" ? "⟨tab⟩" : "⟨line feed⟩"));
}

interface BarProps {
  readonly project: Proven<ProjectState>;
  readonly base: readonly string[];
  /** The view: "tree", "file", "history" or "commits". */
  readonly view: string;
  readonly revision: string;
  readonly path: readonly string[];
  readonly loaded: Loaded<unknown>;
  readonly children?: ComponentChildren;
}

/** CodeBar is the head of a view of code: the ref, the path, whether it is proven, and links. */
export function CodeBar({ project, base, view, revision, path, loaded, children }: BarProps) {
  const title = path.length === 0 ? refLabel(revision) : path.map(printable).join("/");
  return (
    <div class="code-bar">
      <RefSelect project={project} base={base} view={view} revision={revision} path={path} />
      <Heading level={2} title={title} class="breadcrumbs">
        <span class="hidden">{title}</span>
      </Heading>
      <nav class="breadcrumbs" aria-label="Path">
        <a href={href([...base, "tree", revision])}>{printable(base.at(-1)?.slice(0, 39) ?? "")}</a>
        {path.map((name, index) => {
          const last = index === path.length - 1;
          return (
            <>
              <span class="muted" aria-hidden="true">/</span>
              <a href={href([...base, last && view === "file" ? "file" : "tree", revision, ...path.slice(0, index + 1)])} aria-current={last ? "page" : undefined}>{printable(name)}</a>
            </>
          );
        })}
      </nav>
      <Badge of={loaded} />
      <span class="code-links">{children}</span>
    </div>
  );
}

/** RefSelect chooses the branch or tag of a view. */
function RefSelect({ project, base, view, revision, path }: Omit<BarProps, "loaded" | "children">) {
  const names = project.value.refs.map(({ name }) => name);
  const group = (label: string, prefix: string) => {
    const found = names.filter((name) => name.startsWith(prefix));
    return found.length > 0 && <optgroup label={label}>{found.map((name) => <option key={name} value={name}>{printable(refLabel(name))}</option>)}</optgroup>;
  };
  const rest = names.filter((name) => !/^refs\/(?:heads|tags)\//.test(name));
  return (
    <select aria-label="Branch or tag" value={revision} onChange={(event) => (location.hash = href([...base, view, event.currentTarget.value, ...path]))}>
      {!names.includes(revision) && <option value={revision}>{revision.slice(0, 10)}</option>}
      {group("Branches", "refs/heads/")}
      {group("Tags", "refs/tags/")}
      {rest.length > 0 && <optgroup label="Others">{rest.map((name) => <option key={name} value={name}>{printable(name)}</option>)}</optgroup>}
    </select>
  );
}

/** Person shows the name that a commit claims; its address is the tooltip. */
export function Person({ of: ident }: { readonly of: Ident }) {
  return <span title={visible(ident.email)}>{visible(ident.name) || visible(ident.email) || "nobody"}</span>;
}

/** titleOf returns the first line of a message, cut to a length. */
export function titleOf(message: string, length = 160): string {
  const line = message.trimStart().split("\n", 1)[0] ?? "";
  return visible(line.length > length ? line.slice(0, length) + "…" : line) || "(no message)";
}

/** errorOf returns the error of a value that could not be read. */
export function errorOf(loaded: Loaded<unknown>): Error | undefined {
  return loaded.status === "invalid" || loaded.status === "failed" ? loaded.error : undefined;
}
