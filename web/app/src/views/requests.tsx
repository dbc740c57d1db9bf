import { type EntryOf, MergeRequestOutcome, rows } from "makechain";
import type { ProjectState } from "makechain";
import { useState } from "preact/hooks";
import { Form, SelectField, TextField } from "../actions/form.js";
import { openRequest } from "../actions/operations.js";
import { defaultBranch, isActive, nameOf } from "../actions/project.js";
import { lengthFault, limits } from "../actions/rules.js";
import { AccountLink, Ago, Badge, Empty, ErrorMessage, More, ProjectLink, Skeleton, Table, Tabs } from "../components/index.js";
import { useShared } from "../context.js";
import { gitId, hex, shorten, visible } from "../format.js";
import { Heading } from "../heading.js";
import { usePages, useProven } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import { useSession } from "../session/session.js";

/** Requests lists the merge requests of a project: open ones, or closed ones with their outcome. */
export default function Requests({ project, base, route }: ProjectViewProps) {
  const { row, forkParent } = project.value;
  const state = route.query.get("state") ?? "open";
  const here = [...base, "requests"];
  return (
    <section class="stack">
      <Heading level={2} title="Merge requests" />
      <Tabs
        label="State of merge requests"
        tabs={[
          { label: "Open", href: href(here), current: state === "open", count: row?.mergeRequestCount },
          { label: "Closed", href: href(here, { state: "closed" }), current: state === "closed", count: row?.closedMergeRequestCount },
          ...(forkParent === undefined ? [] : [{ label: "New", href: href(here, { state: "new" }), current: state === "new" }]),
        ]}
      />
      {state === "new" && forkParent !== undefined ? (
        <NewRequest project={project.value} base={base} parent={forkParent.sourceProjectId} />
      ) : state === "closed" ? (
        <Closed project={project.value} base={base} />
      ) : (
        <Open project={project.value} base={base} />
      )}
    </section>
  );
}

interface ListProps {
  readonly project: ProjectState;
  readonly base: readonly string[];
}

function Open({ project, base }: ListProps) {
  const { client } = useShared();
  const { changes } = useSession();
  const pages = usePages(`requests/${hex(project.id)}/${changes}`, () => client.rows(rows.mergeRequest, project.id));
  if (pages.loaded.status === "proven" && pages.items.length === 0) return <NoRequests project={project} base={base} />;
  return (
    <>
      <p>
        <Badge of={pages.loaded} />
      </p>
      {pages.items.length > 0 && (
        <Table class="requests" columns={["Title", "From", "Into", "By", "Opened"]}>
          {pages.items.map((entry) => (
            <tr key={hex(entry.request)} data-testid="request">
              <Common entry={entry} base={base} />
              <td>
                <Ago time={entry.value.timestamp} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More of={pages} />
    </>
  );
}

function Closed({ project, base }: ListProps) {
  const { client } = useShared();
  const { changes } = useSession();
  const pages = usePages(`closed/${hex(project.id)}/${changes}`, () => client.rows(rows.closedMergeRequest, project.id));
  if (pages.loaded.status === "proven" && pages.items.length === 0) return <Empty title="No merge request was closed yet." />;
  return (
    <>
      <p>
        <Badge of={pages.loaded} />
      </p>
      {pages.items.length > 0 && (
        <Table class="requests" columns={["Title", "From", "Into", "By", "Outcome", "Closed"]}>
          {pages.items.map((entry) => (
            <tr key={hex(entry.request)} data-testid="request">
              <Common entry={entry} base={base} />
              <td>
                <Outcome of={entry.value.outcome} />
              </td>
              <td>
                <Ago time={entry.value.closedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <More of={pages} />
    </>
  );
}

type AnyRequest = EntryOf<typeof rows.mergeRequest> | EntryOf<typeof rows.closedMergeRequest>;

/** Common are the cells that open and closed requests share. */
function Common({ entry, base }: { readonly entry: AnyRequest; readonly base: readonly string[] }) {
  const { value } = entry;
  return (
    <>
      <th scope="row">
        <a href={href([...base, "request", hex(entry.request)])}>{visible(value.title)}</a>
      </th>
      <td>
        <ProjectLink id={value.sourceProjectId} /> {branchName(value.sourceRef)} <code>{shorten(gitId(value.sourceCommitHash))}</code>
      </td>
      <td>{branchName(value.targetRef)}</td>
      <td>
        <AccountLink address={value.requesterOwnerAddress} />
      </td>
    </>
  );
}

/** branchName returns the short name of a branch. */
export const branchName = (ref: Uint8Array): string => visible(new TextDecoder().decode(ref).replace(/^refs\/heads\//, ""));

/** Outcome shows how a request was closed. */
export function Outcome({ of: outcome }: { readonly of: MergeRequestOutcome }) {
  const text = (MergeRequestOutcome[outcome] ?? "closed").toLowerCase();
  return (
    <span class="outcome" data-outcome={text}>
      {text}
    </span>
  );
}

function NoRequests({ project, base }: ListProps) {
  const name = base.slice(1).join("/");
  return (
    <Empty title="There is no open merge request." command={project.forkParent === undefined ? `makechain project fork ${name}` : `makechain mr open --title "What it changes"`}>
      {project.forkParent === undefined ? (
        <p>
          Somebody who wants to change something <a href={href(["new"], { fork: name })}>forks the project</a>, pushes a branch to the fork, and opens a request from there.
        </p>
      ) : (
        <p>
          This is a fork: <a href={href([...base, "requests"], { state: "new" })}>ask to merge a branch of it</a>.
        </p>
      )}
    </Empty>
  );
}

interface NewProps extends ListProps {
  readonly parent: Uint8Array;
}

/** NewRequest asks to merge a branch of a fork into the project that it was forked from. */
function NewRequest({ project, base, parent }: NewProps) {
  const { client } = useShared();
  const loaded = useProven(`parent/${hex(parent)}`, () => client.project(parent));
  if (loaded.status === "verifying") return <Skeleton lines={6} />;
  if (loaded.status !== "proven") return <ErrorMessage error={"error" in loaded ? loaded.error : new Error("not read")} />;
  const [source, target] = [branchesOf(project), branchesOf(loaded.value)];
  if (!isActive(loaded.value)) return <Empty title="The project that this one was forked from is archived or removed." />;
  if (source.length === 0) return <Empty title="The fork has no branch yet." command="git push origin my-branch" />;
  if (target.length === 0) return <Empty title="The project that this one was forked from has no branch." />;
  return (
    <>
      <p>
        Into {nameOf(loaded.value)} <ProjectLink id={parent} /> <Badge of={loaded} />
      </p>
      <RequestForm project={project} base={base} target={loaded.value} />
    </>
  );
}

const branchesOf = (project: ProjectState) => project.refs.filter((ref) => ref.name.startsWith("refs/heads/"));

function RequestForm({ project, base, target }: ListProps & { readonly target: ProjectState }) {
  const { perform } = useSession();
  const [source, into] = [branchesOf(project), branchesOf(target)];
  const first = source.find((ref) => ref.name !== defaultBranch(project)?.name) ?? source[0];
  const [from, setFrom] = useState(first?.name ?? "");
  const [to, setTo] = useState(defaultBranch(target)?.name ?? "");
  const [title, setTitle] = useState("");
  const fault = title.trim() === "" ? "A merge request needs a title." : lengthFault(title, limits.requestTitle);
  const submit = async () => {
    const ref = source.find((each) => each.name === from);
    if (ref === undefined) return;
    const committed = await perform(
      openRequest({
        target: { id: target.id, name: nameOf(target) },
        targetRef: to,
        source: { id: project.id, name: base.slice(1).join("/") },
        sourceRef: from,
        commit: ref.value.hash,
        title: title.trim(),
      }),
    );
    if (committed) location.hash = href(["project", hex(target.id), "requests"]);
  };
  const options = (refs: ProjectState["refs"]) => refs.map((ref) => [ref.name, `${visible(ref.name.slice("refs/heads/".length))} at ${shorten(gitId(ref.value.hash))}`] as const);
  return (
    <Form label="Open the merge request" verb="open-request" fault={fault} submit={submit}>
      <TextField label="Title" hint="What the change does, in one line." error={fault} value={title} change={setTitle} />
      <SelectField label="Branch of this fork" value={from} change={setFrom} options={options(source)} />
      <SelectField label="Branch to merge it into" value={to} change={setTo} options={options(into)} />
    </Form>
  );
}
