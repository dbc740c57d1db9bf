// The frame of a project: its name, what it is, tabs, and the view inside.
import { ProjectMetadataType, type ProjectState } from "makechain";
import type { ComponentType } from "preact";
import { StarButton } from "../actions/buttons.js";
import type { ViewProps } from "../app.js";
import { AccountLink, Badge, Empty, ErrorMessage, Skeleton, type Tab, Tabs } from "../components/index.js";
import { Guard } from "../components/guard.js";
import { useShared } from "../context.js";
import { shorten, visible } from "../format.js";
import { Heading } from "../heading.js";
import { type Loaded, useProven } from "../load.js";
import { useAccountName } from "../names.js";
import { defaultBranch, isArchived, isPrivate, isRemoved, metadata, type ProjectViewProps, splitProject } from "../project.js";
import { href } from "../route.js";
import { useSession } from "../session/session.js";
import Commit from "./commit.js";
import Commits from "./commits.js";
import Content from "./content.js";
import File from "./file.js";
import Forks from "./forks.js";
import History from "./history.js";
import Overview from "./overview.js";
import People from "./people.js";
import ProjectSettings from "./project-settings.js";
import RefLog from "./reflog.js";
import Refs from "./refs.js";
import Request from "./request.js";
import Requests from "./requests.js";
import Tree from "./tree.js";

/** views are the views inside of a project by the segment after its name. */
const views: Readonly<Record<string, ComponentType<ProjectViewProps>>> = {
  "": Overview,
  tree: Tree,
  file: File,
  history: History,
  commits: Commits,
  commit: Commit,
  refs: Refs,
  log: RefLog,
  forks: Forks,
  people: People,
  content: Content,
  requests: Requests,
  request: Request,
  settings: ProjectSettings,
};

export default function Project({ route }: ViewProps) {
  const { client } = useShared();
  const { project, base, view, rest } = splitProject(route.path);
  const { session, changes } = useSession();
  const loaded = useProven(project, async () => client.project((await client.resolveProject(project)).value), changes);
  const View = Object.hasOwn(views, view) ? views[view] : undefined;
  const exists = loaded.status === "proven" && loaded.value.row !== undefined;
  return (
    <div class="stack project">
      {exists ? (
        <Head project={loaded.value} named={project} loaded={loaded} />
      ) : (
        <div class="title-row">
          <Heading title={project}>
            <ProjectTitle text={project} />
          </Heading>
          <Badge of={loaded} />
        </div>
      )}
      <Tabs label="Project" tabs={tabs(base, view, loaded.status === "proven" ? loaded.value : undefined, session !== undefined)} />
      {loaded.status === "verifying" && <Skeleton lines={12} />}
      {(loaded.status === "invalid" || loaded.status === "failed") && <Missing name={project} error={loaded.error} />}
      {loaded.status === "proven" && !exists && <Empty title="There is no project with this id, which is proven." />}
      {exists && View === undefined && <Empty title="A project has no such view." />}
      {exists && View !== undefined && (
        <Guard key={view}>
          <View project={loaded} base={base} route={{ path: rest, query: route.query }} />
        </Guard>
      )}
    </div>
  );
}

function Head({ project, named, loaded }: { readonly project: ProjectState; readonly named: string; readonly loaded: Loaded<ProjectState> }) {
  const owner = project.row?.ownerAddress ?? new Uint8Array();
  const ownerName = useAccountName(owner);
  const { session } = useSession();
  const name = metadata(project, ProjectMetadataType.PROJECT_METADATA_NAME);
  // Until the proven name is read, the owner has the name of the route: another text would move what is below.
  const [routed = "", hasName] = named.split("/");
  const shownOwner = ownerName === "" && hasName !== undefined && !/^(0x)?[0-9a-f]{40}$/i.test(routed) ? routed : ownerName;
  const title = name === "" ? named : `${ownerName === "" ? routed : ownerName}/${name}`;
  return (
    <>
      <div class="title-row">
        <Heading title={title}>
          {name === "" ? (
            shorten(named)
          ) : (
            <>
              <AccountLink address={owner} name={shownOwner} /> <span class="muted">/</span> {visible(name)}
            </>
          )}
        </Heading>
        <Badge of={loaded} />
        {isPrivate(project) && <span class="tag">private</span>}
        {isArchived(project) && <span class="tag tag-warn">archived</span>}
        {isRemoved(project) && <span class="tag tag-warn">removed</span>}
        {project.forkParent !== undefined && <span class="tag">fork</span>}
        {!isRemoved(project) && <StarButton project={{ id: project.id, name: title }} />}
      </div>
      {isPrivate(project) && session === undefined && (
        <p class="notice" data-testid="private">
          This project is private: its files are for collaborators only. <a href={`#/signin?next=${encodeURIComponent(location.hash)}`}>Sign in</a> with an account that may read it.
        </p>
      )}
      {isRemoved(project) && <p class="notice">This project was removed by its owner. The chain keeps its row, not its content.</p>}
      {isArchived(project) && <p class="notice">This project is archived: it can be read and forked, but never changed again.</p>}
    </>
  );
}

function ProjectTitle({ text }: { readonly text: string }) {
  const [owner = "", name] = text.split("/");
  return name === undefined ? (
    <>{shorten(owner)}</>
  ) : (
    <>
      <a href={href(["account", owner])}>{visible(owner)}</a> <span class="muted">/</span> {visible(name)}
    </>
  );
}

function Missing({ name, error }: { readonly name: string; readonly error: Error }) {
  if (error.name !== "NotFoundError") return <ErrorMessage error={error} />;
  return (
    <Empty title={`There is no project ${visible(name)}, which is proven.`}>
      <p>
        <a href={href(["search"], { q: name.split("/").at(-1) ?? name })}>Search for it</a>, or create it:
      </p>
    </Empty>
  );
}

/** tabs are the views of a project. The numbers are those of its proven row. */
function tabs(base: readonly string[], view: string, project: ProjectState | undefined, settings: boolean): Tab[] {
  const branch = project === undefined ? undefined : defaultBranch(project)?.name;
  const link = (label: string, views: readonly string[], path: readonly string[], count?: number): Tab => ({ label, href: href([...base, ...path]), current: views.includes(view), count });
  return [
    link("Overview", [""], []),
    ...(branch === undefined && project !== undefined ? [] : [link("Code", ["tree", "file", "history"], ["tree", branch ?? "HEAD"]), link("Commits", ["commits", "commit"], ["commits", branch ?? "HEAD"], project?.row?.commitCount)]),
    link("Merge requests", ["requests", "request"], ["requests"], project?.row?.mergeRequestCount),
    link("Refs", ["refs", "log"], ["refs"], project?.refs.length),
    link("People", ["people"], ["people"], project?.row?.collaboratorCount),
    link("Forks", ["forks"], ["forks"]),
    link("Content", ["content"], ["content"], project?.row?.contentCount),
    ...(settings || view === "settings" ? [link("Settings", ["settings"], ["settings"])] : []),
  ];
}
