import { withSteps } from "makechain";
import { useEffect, useState } from "preact/hooks";
import { CopyButton, ErrorMessage, Hash, Skeleton } from "../components/index.js";
import { count, plural, size, visible } from "../format.js";
import { Code, parseLines } from "../git/code.js";
import { CodeBar, errorOf, printable } from "../git/parts.js";
import { isMarkdown, Markdown } from "../git/readme.js";
import { blobUrl, decodeText, imageType, isBinary, maxShownBytes, maxShownLines, type Revision } from "../git/repository.js";
import { type Opened, useOpened, useRevision } from "../git/use.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import Tree, { NoCode } from "./tree.js";

/** Content is a file of a proven commit. */
interface Content {
  readonly revision: Revision;
  readonly kind: string;
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** FileView shows a file; a path that is a directory is shown as a directory. */
export default function FileView(props: ProjectViewProps) {
  return <File {...props} />;
}

export function File(props: ProjectViewProps) {
  const opened = useOpened(props);
  const { project, base } = props;
  const { repository, name, path } = opened;
  const loaded = useRevision(props, opened, "file", async ({ value: revision, evidence }, signal) => {
    const found = await repository.find(revision.commit, path, signal);
    const bytes = found.kind === "tree" || found.kind === "commit" ? new Uint8Array() : await repository.blob(found.id, signal);
    const value: Content = { revision, kind: found.kind, id: found.id, bytes };
    return { value, evidence: withSteps(evidence, ...found.steps) };
  });
  if (name === "") return <NoCode />;
  if (loaded.status === "proven" && loaded.value.kind === "tree") return <Tree {...props} />;
  const error = errorOf(loaded);
  return (
    <div class="stack">
      <CodeBar project={project} base={base} view="file" revision={name} path={path} loaded={loaded}>
        <a href={href([...base, "history", name, ...path])}>History</a>
      </CodeBar>
      {error !== undefined && <ErrorMessage error={error} />}
      {loaded.status === "verifying" && <Skeleton lines={16} />}
      {loaded.status === "proven" && <Shown key={loaded.value.id} props={props} opened={opened} content={loaded.value} />}
    </div>
  );
}

interface ShownProps {
  readonly props: ProjectViewProps;
  readonly opened: Opened;
  readonly content: Content;
}

function Shown({ props: { base, route }, opened: { repository, name, path }, content }: ShownProps) {
  const { bytes, revision } = content;
  const fileName = path.at(-1) ?? "";
  const [asked, setAsked] = useState(false);
  const image = imageType(fileName);
  const binary = isBinary(bytes);
  const text = binary ? "" : decodeText(bytes);
  const lines = binary ? 0 : (text.match(/\n/g)?.length ?? 0) + (text === "" || text.endsWith("\n") ? 0 : 1);
  const large = bytes.length > maxShownBytes || lines > maxShownLines;
  const rendered = isMarkdown(fileName) && !route.query.has("plain") && !route.query.has("lines");
  const here = (query: Record<string, string>) => href([...base, "file", name, ...path], query);
  const facts = [content.kind === "link" ? "symbolic link" : "", content.kind === "executable" ? "executable" : "", binary ? "" : plural(lines, "line"), size(bytes.length)];
  let body;
  if (content.kind === "commit") body = <p class="panel-body">A submodule at commit <Hash of={content.id} full />.</p>;
  else if (image !== undefined && (binary || image === "image/svg+xml") && !route.query.has("plain")) body = <Image bytes={bytes} type={image} name={fileName} />;
  else if (binary) body = <p class="panel-body muted">The file is binary. Download it to look at it.</p>;
  else if (large && !asked) body = <p class="panel-body">The file is large: {size(bytes.length)}, {plural(lines, "line")}. <button type="button" onClick={() => setAsked(true)}>Show it</button></p>;
  else if (rendered) body = <div class="panel-body"><Markdown repository={repository} base={base} revision={name} commit={revision.commit} path={path} text={text} section={route.query.get("section")} /></div>;
  else if (route.query.has("raw")) body = <pre class="raw" tabIndex={0}>{visible(text)}</pre>;
  else if (text === "") body = <p class="panel-body muted">The file is empty.</p>;
  else body = <Code text={text} name={fileName} marked={parseLines(route.query.get("lines"))} link={(marked) => here({ lines: marked })} />;
  return (
    <section class="panel file" aria-label={printable(fileName)}>
      <div class="panel-head">
        <span class="muted">{facts.filter((fact) => fact !== "").join(" · ")}</span>
        <span class="file-links">
          {isMarkdown(fileName) && <a href={rendered ? here({ plain: "1" }) : here({})}>{rendered ? "Source" : "Rendered"}</a>}
          {image === "image/svg+xml" && <a href={route.query.has("plain") ? here({}) : here({ plain: "1" })}>{route.query.has("plain") ? "Image" : "Source"}</a>}
          {!binary && content.kind !== "commit" && <a href={route.query.has("raw") ? here({}) : here({ raw: "1", plain: "1" })}>{route.query.has("raw") ? "Lines" : "Raw"}</a>}
          {content.kind !== "commit" && <Download bytes={bytes} name={fileName} />}
          {!binary && content.kind !== "commit" && <CopyButton text={text} label="Copy the content" />}
        </span>
      </div>
      {body}
    </section>
  );
}

function Download({ bytes, name }: { readonly bytes: Uint8Array; readonly name: string }) {
  const save = () => {
    const url = blobUrl(bytes, "application/octet-stream");
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = name.replace(/[^\p{L}\p{N} ._+-]/gu, "_") || "file";
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return <button type="button" class="link-button" onClick={save}>Download</button>;
}

function Image({ bytes, type, name }: { readonly bytes: Uint8Array; readonly type: string; readonly name: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const created = blobUrl(bytes, type);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [bytes, type]);
  return <div class="panel-body image">{url !== undefined && <img src={url} alt={`The image ${printable(name)}, ${count(bytes.length)} bytes`} />}</div>;
}
