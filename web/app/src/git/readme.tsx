// Rendered Markdown of a repository.
import type { Commit, Entry, Repository } from "makechain/git";
import { type ComponentChildren, createElement } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ErrorMessage, Skeleton } from "../components/index.js";
import { visible } from "../format.js";
import { type Node } from "../markdown-inline.js";
import { maxMarkdown, parseMarkdown, sectionPrefix } from "../markdown.js";
import { href } from "../route.js";
import { blobUrl, decodeText, imageType } from "./repository.js";
import { printable } from "./parts.js";

/** How many images of one text are loaded. */
const maxImages = 30;

export interface MarkdownProps {
  readonly repository: Repository;
  /** The segments of the project's location. */
  readonly base: readonly string[];
  /** The ref or commit of links. */
  readonly revision: string;
  readonly commit: Commit;
  /** The path of the text. */
  readonly path: readonly string[];
  readonly text: string;
  /** The section to scroll to. */
  readonly section?: string | null;
}

/** Markdown renders a text of a repository: its links lead to views of the same revision, and its images are verified objects. */
export function Markdown({ repository, base, revision, commit, path, text, section }: MarkdownProps) {
  const nodes = useMemo(() => {
    if (text.length > maxMarkdown) return undefined;
    return parseMarkdown(text, {
      directory: path.slice(0, -1),
      link: (target) => {
        if (target.path === undefined) return href([...base, "file", revision, ...path], { section: target.section });
        return href([...base, target.directory ? "tree" : "file", revision, ...target.path], target.section === "" ? {} : { section: target.section });
      },
    });
  }, [text, revision, base.join("/"), path.join("/")]);
  useEffect(() => {
    if (section) document.getElementById(sectionPrefix + section.toLowerCase())?.scrollIntoView();
  }, [section, text]);
  if (nodes === undefined) return <pre class="markdown-plain" tabIndex={0}>{visible(text)}</pre>;
  let images = 0;
  const draw = (child: Node | string): ComponentChildren => {
    if (typeof child === "string") return visible(child);
    if (child.tag !== "repository-image") return createElement(child.tag, child.props, ...child.children.map(draw));
    const { path: target = "[]", ...props } = child.props;
    return images++ < maxImages ? <Image key={`${commit.id} ${target}`} repository={repository} commit={commit} path={JSON.parse(String(target)) as string[]} props={props} /> : String(props["alt"] ?? "");
  };
  return <div class="markdown">{nodes.map(draw)}</div>;
}

interface ImageProps {
  readonly repository: Repository;
  readonly commit: Commit;
  readonly path: readonly string[];
  readonly props: Node["props"];
}

/** Image shows an image of the repository when its object was verified. */
function Image({ repository, commit, path, props }: ImageProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    const type = imageType(path.at(-1) ?? "");
    let created: string | undefined;
    const load = async () => {
      if (type === undefined) return;
      const content = await repository.blob((await repository.find(commit, path, abort.signal)).id, abort.signal);
      if (!abort.signal.aborted) setUrl((created = blobUrl(content, type)));
    };
    load().catch(() => undefined); // its text is shown
    return () => {
      abort.abort();
      if (created !== undefined) URL.revokeObjectURL(created);
    };
  }, []);
  return url === undefined ? <span class="markdown-image">{String(props["alt"]) || printable(path.join("/"))}</span> : <img {...props} alt={String(props["alt"] ?? "")} src={url} />;
}

/** readmeOf returns the entry of a tree that is its README. */
export function readmeOf(entries: readonly Entry[]): Entry | undefined {
  const candidates = entries.filter(({ name, kind }) => kind !== "tree" && kind !== "commit" && /^readme(?:\.(?:md|markdown|txt|rst))?$/i.test(name));
  return candidates.find(({ name }) => /\.(?:md|markdown)$/i.test(name)) ?? candidates[0];
}

export interface ReadmeProps extends Omit<MarkdownProps, "path" | "text"> {
  /** The directory, and its entries. */
  readonly directory: readonly string[];
  readonly entries: readonly Entry[];
}

/** Readme shows the README of a directory, if it has one. */
export function Readme({ directory, entries, ...rest }: ReadmeProps) {
  const entry = readmeOf(entries);
  const [state, setState] = useState<{ id: string; text?: string; error?: Error }>();
  useEffect(() => {
    if (entry === undefined) return undefined;
    const abort = new AbortController();
    const finish = (result: { text: string } | { error: Error }) => abort.signal.aborted || setState({ id: entry.id, ...result });
    rest.repository.blob(entry.id, abort.signal).then(
      (content) => finish({ text: decodeText(content) }),
      (error: unknown) => finish({ error: error instanceof Error ? error : new Error(String(error)) }),
    );
    return () => abort.abort();
  }, [entry?.id]);
  if (entry === undefined) return null;
  const path = [...directory, entry.name];
  const current = state?.id === entry.id ? state : undefined;
  return (
    <section class="panel readme" aria-label="README">
      <div class="panel-head">
        <a href={href([...rest.base, "file", rest.revision, ...path])}>{printable(entry.name)}</a>
      </div>
      <div class="panel-body">
        {current === undefined && <Skeleton lines={6} />}
        {current?.error !== undefined && <ErrorMessage error={current.error} />}
        {current?.text !== undefined && isMarkdown(entry.name) && <Markdown {...rest} path={path} text={current.text} />}
        {current?.text !== undefined && !isMarkdown(entry.name) && <pre class="markdown-plain">{visible(current.text.slice(0, maxMarkdown))}</pre>}
      </div>
    </section>
  );
}

export function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown)$/i.test(name);
}
