import { rows, withSteps } from "makechain";
import { chainHash, type Commit as GitCommit, isObjectId, recomputed, type Repository } from "makechain/git";
import { LikeButton } from "../actions/buttons.js";
import { Ago, Badge, ErrorMessage, Hash, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { hex, plural, visible } from "../format.js";
import { errorOf, Person, titleOf } from "../git/parts.js";
import { TreeDiff } from "../git/treediff.js";
import { useOpened, useRevision } from "../git/use.js";
import { Heading } from "../heading.js";
import { useProven } from "../load.js";
import type { ProjectViewProps } from "../project.js";
import { href } from "../route.js";
import { useSession } from "../session/session.js";

/** The type of a reaction that is a like. */
const like = 1;

/** Commit shows a commit that the chain has, and what it changed. */
export default function Commit(props: ProjectViewProps) {
  const opened = useOpened(props);
  const { base } = props;
  const { repository, name } = opened;
  const loaded = useRevision(props, { ...opened, path: [] }, "commit", async ({ value: { commit }, evidence }, signal) => {
    const parent = commit.parents[0] === undefined ? undefined : await repository.commit(commit.parents[0], signal);
    return { value: { commit, parent }, evidence: parent === undefined ? evidence : withSteps(evidence, recomputed("commit", parent.id, "parent")) };
  });
  const error = errorOf(loaded);
  if (loaded.status !== "proven") {
    return (
      <div class="stack">
        <div class="title-row"><Heading level={2} title={`Commit ${name.slice(0, 10)}`} /><Badge of={loaded} /></div>
        {error === undefined ? <Skeleton lines={12} /> : <ErrorMessage error={error} />}
      </div>
    );
  }
  const { commit, parent } = loaded.value;
  const [, ...body] = commit.message.trimStart().split("\n");
  const rest = visible(body.join("\n").trim());
  return (
    <div class="stack">
      <div class="title-row"><Heading level={2} title={titleOf(commit.message, 400)} /><Badge of={loaded} /></div>
      {rest !== "" && <pre class="commit-message">{rest}</pre>}
      <Facts base={base} commit={commit} project={props.project.value.id} />
      <Changes repository={repository} base={base} commit={commit} parent={parent} />
    </div>
  );
}

function Facts({ base, commit, project }: { readonly base: readonly string[]; readonly commit: GitCommit; readonly project: Uint8Array }) {
  const { author, committer } = commit;
  const different = author.name !== committer.name || author.time !== committer.time;
  return (
    <dl class="facts">
      <dt>Commit</dt>
      <dd><Hash of={commit.id} full /></dd>
      <dt>Author</dt>
      <dd><Person of={author} />, <Ago time={author.time} /></dd>
      {different && <><dt>Committer</dt><dd><Person of={committer} />, <Ago time={committer.time} /></dd></>}
      <dt>{commit.parents.length === 1 ? "Parent" : "Parents"}</dt>
      <dd>{commit.parents.length === 0 ? "none: the first commit" : commit.parents.map((id) => <><Hash key={id} of={id} length={10} href={href([...base, "commit", id])} copy={false} /> </>)}</dd>
      <dt>Files</dt>
      <dd><a href={href([...base, "tree", commit.id])}>Browse the files of this commit</a></dd>
      {commit.signed && <><dt>Signature</dt><dd>The commit has a signature, which is not verified here.</dd></>}
      <dt>Likes</dt>
      <dd><Likes project={project} commit={commit.id} /> <LikeButton project={{ id: project, name: base.slice(1).join("/") }} commit={chainHash(commit.id)} /></dd>
    </dl>
  );
}

/** Likes shows how many accounts like a commit: at most those of one proven page. */
function Likes({ project, commit }: { readonly project: Uint8Array; readonly commit: string }) {
  const { client } = useShared();
  const { changes } = useSession();
  const loaded = useProven(`likes/${hex(project)}/${commit}/${changes}`, async () => {
    for await (const page of client.rows(rows.reactionByTarget, like, project, chainHash(commit))) return page;
    throw new Error("the node returned no page");
  });
  if (loaded.status === "verifying") return <span class="muted">…</span>;
  return <>{loaded.status === "proven" && plural(loaded.value.length, "like")} <Badge of={loaded} small /></>;
}

interface ChangesProps {
  readonly repository: Repository;
  readonly base: readonly string[];
  readonly commit: GitCommit;
  readonly parent: GitCommit | undefined;
}

function Changes({ repository, base, commit, parent }: ChangesProps) {
  return (
    <>
      {commit.parents.length > 1 && <p class="muted">A merge: the changes are those against the first parent.</p>}
      <TreeDiff repository={repository} base={parent?.tree} head={commit.tree} location={base} revision={isObjectId(commit.id) ? commit.id : ""} />
    </>
  );
}
