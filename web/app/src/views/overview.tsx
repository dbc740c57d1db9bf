// The first view of a project: its code and README, what the chain knows about it, how to clone it.
import { ProjectMetadataType, type ProjectState, rows } from "makechain";
import { AccountLink, Ago, Badge, Command, Empty, Hash, ProjectLink } from "../components/index.js";
import { useShared } from "../context.js";
import { count, gitId, hex, visible } from "../format.js";
import { usePages } from "../load.js";
import { shortRef } from "../message.js";
import { useProjectName } from "../names.js";
import { branches, defaultBranch, isRemoved, metadata, type ProjectViewProps, tags } from "../project.js";
import { href } from "../route.js";
import { useSession } from "../session/session.js";
import Tree from "./tree.js";

/** How many branches and tags are listed here; the view of refs has all. */
const listed = 6;

export default function Overview(props: ProjectViewProps) {
  const { project, base } = props;
  const state = project.value;
  const path = useProjectName(state.id);
  const name = path === "" ? hex(state.id) : path;
  const branch = defaultBranch(state);
  if (isRemoved(state)) return <About {...props} />;
  return (
    <div class="aside-layout">
      <div class="stack">
        {branch === undefined ? (
          <Empty title="Nothing was pushed to this project yet." command={`git push makechain://${name} main`}>
            <p>Push a branch of a git repository:</p>
          </Empty>
        ) : (
          <Tree project={project} base={base} route={{ path: [branch.name], query: props.route.query }} />
        )}
      </div>
      <aside class="stack" aria-label="About the project">
        <section class="panel" aria-labelledby="clone">
          <div class="panel-head">
            <h2 id="clone">Clone</h2>
          </div>
          <div class="panel-body stack-small">
            <Command text={`git clone makechain://${name}`} />
            <p class="muted small">verifies every ref. Plain git, which trusts the node:</p>
            <Command text={`git clone ${location.origin}/git/${name}`} />
          </div>
        </section>
        <About {...props} />
        <Refs {...props} />
      </aside>
    </div>
  );
}

function About({ project, base }: ProjectViewProps) {
  const state = project.value;
  const { row, forkParent } = state;
  const description = metadata(state, ProjectMetadataType.PROJECT_METADATA_DESCRIPTION);
  const license = metadata(state, ProjectMetadataType.PROJECT_METADATA_LICENSE);
  const branch = defaultBranch(state);
  return (
    <section class="panel" aria-labelledby="about">
      <div class="panel-head">
        <h2 id="about">About</h2>
        <Badge of={{ status: "proven", ...project }} />
      </div>
      <div class="panel-body stack-small">
        <p class={description === "" ? "muted" : "preserve"}>{description === "" ? "No description." : visible(description)}</p>
        <dl class="facts facts-narrow">
          {row !== undefined && (
            <>
              <dt>Owner</dt>
              <dd>
                <AccountLink address={row.ownerAddress} />
              </dd>
            </>
          )}
          {forkParent !== undefined && (
            <>
              <dt>Forked from</dt>
              <dd>
                <ProjectLink id={forkParent.sourceProjectId} /> at{" "}
                <Hash of={gitId(forkParent.sourceCommitHash)} href={href(["project", hex(forkParent.sourceProjectId), "commit", gitId(forkParent.sourceCommitHash)])} copy={false} />
              </dd>
            </>
          )}
          {license !== "" && (
            <>
              <dt>License</dt>
              <dd>{visible(license)}</dd>
            </>
          )}
          {branch !== undefined && (
            <>
              <dt>Default branch</dt>
              <dd>{visible(shortRef(branch.name))}</dd>
            </>
          )}
          <Stars project={state} base={base} />
          {row !== undefined && (
            <>
              <dt>Commits</dt>
              <dd>{count(row.commitCount)}</dd>
              <dt>Created</dt>
              <dd>
                <Ago time={row.createdAt} />
              </dd>
            </>
          )}
          <dt>Id</dt>
          <dd>
            <Hash of={state.id} />
          </dd>
        </dl>
      </div>
    </section>
  );
}

function Stars({ project, base }: { readonly project: ProjectState; readonly base: readonly string[] }) {
  const { client } = useShared();
  const { changes } = useSession();
  const stars = usePages(`stars ${hex(project.id)} ${changes}`, () => client.rows(rows.stargazer, project.id));
  return (
    <>
      <dt>Stars</dt>
      <dd>
        {stars.loaded.status === "proven" ? (
          <a class="tap" href={href([...base, "people"])}>
            {count(stars.items.length)}
            {stars.more ? "+" : ""}
          </a>
        ) : (
          "…"
        )}{" "}
        <Badge of={stars.loaded} small />
      </dd>
    </>
  );
}

function Refs({ project, base }: ProjectViewProps) {
  const state = project.value;
  const groups = [["Branches", branches(state)] as const, ["Tags", tags(state)] as const].filter(([, refs]) => refs.length > 0);
  return (
    <>
      {groups.map(([title, refs]) => (
        <section key={title} class="panel" aria-labelledby={title}>
          <div class="panel-head">
            <h2 id={title}>{title}</h2>
            <a href={href([...base, "refs"])}>{refs.length > listed ? `All ${count(refs.length)}` : "All"}</a>
          </div>
          <ul class="plain panel-body ref-list">
            {refs.slice(0, listed).map((ref) => (
              <li key={ref.name}>
                <a href={href([...base, "tree", ref.name])}>{visible(shortRef(ref.name))}</a>
                <Hash of={gitId(ref.value.hash)} href={href([...base, "commit", gitId(ref.value.hash)])} copy={false} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
