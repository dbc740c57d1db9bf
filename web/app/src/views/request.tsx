import { bytesEqual, type Client, type ClosedMergeRequestRow, fromHex, type MergeRequestRow, MergeRequestOutcome, Permission, type Proven, type ProjectState, rows } from "makechain";
import { ContentError } from "makechain/git";
import { useState } from "preact/hooks";
import { type Extent, extentOf } from "../actions/extent.js";
import { maxMergeCommits, mergeRequest, type OpenRequest } from "../actions/merge.js";
import type { Operation } from "../actions/operation.js";
import { closeRequest } from "../actions/operations.js";
import { isActive, permissionOf } from "../actions/project.js";
import { relate, type Relation } from "../actions/relation.js";
import { AccountLink, Ago, Badge, Command, Empty, ErrorMessage, Hash, ProjectLink, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { count, gitId, hex, plural, shorten, visible } from "../format.js";
import { useAccess } from "../git/access.js";
import { TreeDiff } from "../git/treediff.js";
import { Heading } from "../heading.js";
import { type Loaded, useProven } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import { type Session, useSession } from "../session/session.js";
import { branchName, Outcome } from "./requests.js";

/** Found is a merge request, open or closed. */
type Found = { readonly open: MergeRequestRow } | { readonly closed: ClosedMergeRequestRow };

/** Request shows one merge request: what it asks for, its commits, its changes, and whether it can be merged. */
export default function Request({ project, base, route }: ProjectViewProps) {
  const { client } = useShared();
  const { changes } = useSession();
  const id = route.path[0] ?? "";
  const loaded = useProven(`request/${hex(project.value.id)}/${id}/${changes}`, () => readRequest(client, project.value.id, id));
  if (loaded.status === "verifying") return <Skeleton lines={10} />;
  if (loaded.status !== "proven") return <ErrorMessage error={"error" in loaded ? loaded.error : new Error("not read")} />;
  if (loaded.value === undefined) {
    return <Empty title="The project has no such merge request. Old closed requests are deleted.">{<a href={href([...base, "requests"])}>All merge requests</a>}</Empty>;
  }
  return <Details project={project} base={base} id={id} found={loaded.value} loaded={loaded} />;
}

async function readRequest(client: Client, project: Uint8Array, id: string): Promise<Proven<Found | undefined>> {
  if (!/^[0-9a-f]{64}$/.test(id)) throw new Error(`${id} is not the id of a merge request: it has 64 hex digits.`);
  const request = fromHex(id);
  const open = await client.row(rows.mergeRequest, project, request);
  if (open.value !== undefined) return { value: { open: open.value }, evidence: open.evidence };
  const closed = await client.row(rows.closedMergeRequest, project, request);
  return { value: closed.value === undefined ? undefined : { closed: closed.value }, evidence: closed.evidence };
}

interface DetailsProps {
  readonly project: Proven<ProjectState>;
  readonly base: readonly string[];
  readonly id: string;
  readonly found: Found;
  readonly loaded: Loaded<unknown>;
}

function Details({ project, base, id, found, loaded }: DetailsProps) {
  const { client } = useShared();
  const { changes } = useSession();
  const value = "open" in found ? found.open : found.closed;
  const access = useAccess();
  const relation = useProven(`relation/${access.reader}/${id}/${changes}`, async (signal) => {
    const ref = await client.row(rows.ref, project.value.id, value.targetRef);
    const repository = access.repository(value.sourceProjectId, project.value.id);
    if ("closed" in found) return extentOf({ client, repository, project: project.value.id, row: found.closed, branch: ref.value?.hash, evidence: ref.evidence }, signal);
    const ids = { commit: value.sourceCommitHash, branch: ref.value?.hash ?? value.sourceCommitHash };
    const { value: open, evidence } = await relate(repository, ids, ref.evidence, signal);
    return { value: { ...open, start: "now" as const }, evidence };
  });
  return (
    <article class="stack">
      <div class="title-row">
        <Heading level={2} title={visible(value.title)} />
        {"open" in found ? <span class="outcome" data-outcome="open">open</span> : <Outcome of={found.closed.outcome} />}
        <Badge of={loaded} />
      </div>
      <Facts found={found} value={value} base={base} />
      {"open" in found ? <State relation={relation} command={mergeCommand(base, id)} /> : <Certainty of={relation} />}
      {"open" in found && <Decide project={project.value} base={base} id={id} row={found.open} relation={relation} />}
      <Checkout value={value} base={base} id={id} isOpen={"open" in found} />
      <Commits relation={relation} source={value.sourceProjectId} />
      <Changes relation={relation} source={value.sourceProjectId} />
    </article>
  );
}

function Facts({ found, value, base }: { readonly found: Found; readonly value: MergeRequestRow | ClosedMergeRequestRow; readonly base: readonly string[] }) {
  const commit = gitId(value.sourceCommitHash);
  return (
    <dl class="facts">
      <dt>From</dt>
      <dd>
        <ProjectLink id={value.sourceProjectId} /> {branchName(value.sourceRef)} at <Hash of={commit} href={href(["project", hex(value.sourceProjectId), "commit", commit])} />
      </dd>
      <dt>Into</dt>
      <dd>{branchName(value.targetRef)}</dd>
      <dt>By</dt>
      <dd>
        <AccountLink address={value.requesterOwnerAddress} />
      </dd>
      <dt>Opened</dt>
      <dd>
        <Ago time={"open" in found ? found.open.timestamp : found.closed.addedAt} />
      </dd>
      {value.replaces.length > 0 && (
        <>
          <dt>Replaces</dt>
          <dd>
            <Hash of={value.replaces} href={href([...base, "request", hex(value.replaces)])} />
          </dd>
        </>
      )}
      {"closed" in found && <ClosedFacts row={found.closed} base={base} />}
    </dl>
  );
}

function ClosedFacts({ row, base }: { readonly row: ClosedMergeRequestRow; readonly base: readonly string[] }) {
  return (
    <>
      <dt>Closed</dt>
      <dd>
        <Ago time={row.closedAt} /> in block <a href={href(["block", String(row.blockNumber)])}>{String(row.blockNumber)}</a> by <AccountLink address={row.closerOwnerAddress} />
      </dd>
      {row.mergeCommit.length > 0 && (
        <>
          <dt>Merged as</dt>
          <dd>
            <Hash of={gitId(row.mergeCommit)} href={href([...base, "commit", gitId(row.mergeCommit)])} />
          </dd>
        </>
      )}
      {row.replacedBy.length > 0 && (
        <>
          <dt>Replaced by</dt>
          <dd>
            <Hash of={row.replacedBy} href={href([...base, "request", hex(row.replacedBy)])} />
          </dd>
        </>
      )}
    </>
  );
}

/** Unread shows why the commits of a request could not be read. */
function Unread({ relation }: { readonly relation: Loaded<unknown> & { readonly error: Error } }) {
  const { error } = relation;
  const isMissing = error instanceof ContentError && error.status === 404;
  return (
    <div data-testid="unread">
      <Badge of={relation} /> <ErrorMessage error={error} />
      {isMissing && <p>Without these objects the commits and changes cannot be shown. The fork may have been removed, or its content is in another store: “makechain content status” lists which store has it.</p>}
    </div>
  );
}

/** State says whether the branch can be fast-forwarded to the commit, which follows from verified objects. */
function State({ relation, command }: { readonly relation: Loaded<Relation>; readonly command: string }) {
  if ("error" in relation) return <Unread relation={relation} />;
  const isLarge = relation.status === "proven" && relation.value.ahead.length > maxMergeCommits;
  return (
    <>
      <p class="merge-state" data-testid="merge-state" data-state={relation.status === "proven" ? stateOf(relation.value) : "unknown"}>
        {relation.status === "proven" ? stateTexts[stateOf(relation.value)] : "Comparing the branches."} <Badge of={relation} />
      </p>
      {isLarge && stateOf(relation.value) === "fast-forward" && (
        <div data-testid="too-many">
          <p>
            The page merges at most {maxMergeCommits} commits, and this request has {count(relation.value.ahead.length)}. Merge it with:
          </p>
          <Command text={command} />
        </div>
      )}
    </>
  );
}

/** Certainty says how far it is known which commits a closed request had. */
function Certainty({ of: relation }: { readonly of: Loaded<Extent> }) {
  if ("error" in relation) return <Unread relation={relation} />;
  if (relation.status !== "proven") return <Skeleton lines={2} />;
  const { start, before = "" } = relation.value;
  return (
    <p class="merge-state" data-testid="extent" data-start={start}>
      {startTexts[start]} {start === "log" && <Hash of={before} />} {start === "log" ? <Badge of={{ status: "claimed", value: before }} /> : <Badge of={relation} />}
    </p>
  );
}

const startTexts = {
  parents: "Proven: the commits that the merge commit has, and its first parent, the branch before the merge, does not.",
  log: "Every object is verified from the commit on the chain. Where the branch was before the merge is the node's word, from its ref log:",
  now: "Compared with the branch as it is now.",
  unknown: "Where the branch was before is not known. This is the newest commit of the request, compared with its first parent.",
} as const;

const mergeCommand = (base: readonly string[], id: string) => `makechain mr merge ${base.slice(1).join("/")} ${shorten(id)}`;

const stateTexts = {
  "fast-forward": "This can be merged: the branch has no other commits, so it moves forward to the commit.",
  merged: "The branch contains the commit already: the request can be closed as merged.",
  diverged: "The branch has other commits since. Merge it with git, as below: a fast-forward is not possible.",
} as const;

function stateOf({ ahead, behind }: Relation): keyof typeof stateTexts {
  if (ahead.length === 0) return "merged";
  return behind === 0 ? "fast-forward" : "diverged";
}

interface DecideProps {
  readonly project: ProjectState;
  readonly base: readonly string[];
  readonly id: string;
  readonly row: MergeRequestRow;
  readonly relation: Loaded<Relation>;
}

/** Decide has the buttons of those who may merge or close the request. */
function Decide({ project, base, id, row, relation }: DecideProps) {
  const { client, page } = useShared();
  const { session, changes, perform } = useSession();
  const [error, setError] = useState<Error>();
  const permission = useProven(`permission/${hex(project.id)}/${session === undefined ? "" : hex(session.account)}/${changes}`, async () => {
    const root = await client.certify();
    return { value: session === undefined ? undefined : await permissionOf(client, project, session.account), evidence: root.evidence };
  });
  if (session === undefined) {
    return (
      <p>
        <a href={`#/signin?next=${encodeURIComponent(location.hash)}`}>Sign in</a> to merge or close it.
      </p>
    );
  }
  const target = { id: project.id, name: base.slice(1).join("/") };
  const request: OpenRequest = { key: new Uint8Array(0), project: project.id, request: fromHex(id), value: row };
  const canWrite = isActive(project) && permission.status === "proven" && (permission.value ?? Permission.READ) >= Permission.WRITE;
  const isRequester = bytesEqual(row.requesterOwnerAddress, session.account);
  const run = async (operation: () => Promise<Operation>) => {
    setError(undefined);
    try {
      await perform(await operation());
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
  const merge = (as: Session, of: Relation) => run(() => mergeRequest({ client, page, session: as, target, request, relation: of }));
  const close = (outcome: MergeRequestOutcome, commit?: Uint8Array) => run(async () => closeRequest(target, request.request, outcome, commit));
  const state = relation.status === "proven" ? stateOf(relation.value) : undefined;
  return (
    <>
      <div class="buttons">
        {canWrite && relation.status === "proven" && state === "fast-forward" && relation.value.ahead.length <= maxMergeCommits && (
          <button type="button" class="primary" data-testid="action-merge" onClick={() => void merge(session, relation.value)}>
            Merge by fast-forward
          </button>
        )}
        {canWrite && state === "merged" && (
          <button type="button" class="primary" data-testid="action-close-merged" onClick={() => void close(MergeRequestOutcome.MERGED, row.sourceCommitHash)}>
            Close as merged
          </button>
        )}
        {canWrite && !isRequester && (
          <button type="button" class="danger" data-testid="action-decline" onClick={() => void close(MergeRequestOutcome.DECLINED)}>
            Decline
          </button>
        )}
        {isRequester && (
          <button type="button" class="danger" data-testid="action-withdraw" onClick={() => void close(MergeRequestOutcome.WITHDRAWN)}>
            Withdraw
          </button>
        )}
      </div>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  );
}

/** Checkout has the commands to look at the change, and to merge it, with git. */
function Checkout({ value, base, id, isOpen }: { readonly value: MergeRequestRow | ClosedMergeRequestRow; readonly base: readonly string[]; readonly id: string; readonly isOpen: boolean }) {
  const name = base.slice(1).join("/");
  return (
    <details>
      <summary>Check it out {isOpen && "or merge it "}with git</summary>
      <div class="stack">
        <Command text={`makechain mr checkout ${name} ${shorten(id)}`} />
        <Command text={`git fetch makechain://${hex(value.sourceProjectId)} ${new TextDecoder().decode(value.sourceRef)} && git checkout ${gitId(value.sourceCommitHash)}`} />
        {isOpen && <Command text={mergeCommand(base, id)} />}
      </div>
    </details>
  );
}

function Commits({ relation, source }: { readonly relation: Loaded<Relation>; readonly source: Uint8Array }) {
  if (relation.status !== "proven") return null;
  const commits = [...relation.value.ahead].reverse();
  if (commits.length === 0) return null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>{plural(commits.length, "commit")}</h3>
        <Badge of={relation} small />
      </div>
      <ul class="plain request-commits">
        {commits.slice(0, 100).map((commit) => (
          <li key={commit.id}>
            <Hash of={commit.id} href={href(["project", hex(source), "commit", commit.id])} /> {visible(commit.message.split("\n", 1)[0] ?? "")}{" "}
            <span class="muted">
              {visible(commit.author.name)}, <Ago time={commit.author.time} />
            </span>
          </li>
        ))}
        {commits.length > 100 && <li class="muted">and {commits.length - 100} more</li>}
      </ul>
    </section>
  );
}

/** Changes shows what the commits change since the branches diverged. */
function Changes({ relation, source }: { readonly relation: Loaded<Relation>; readonly source: Uint8Array }) {
  if (relation.status !== "proven") return null;
  const { ahead, base, repository } = relation.value;
  const head = ahead[ahead.length - 1];
  if (head === undefined) return null;
  return <TreeDiff repository={repository} base={base?.tree} head={head.tree} location={["project", hex(source)]} revision={head.id} />;
}
