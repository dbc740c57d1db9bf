// What the views inside of a project receive, and the part of a route that names a project.
import { ProjectMetadataType, type ProjectState, ProjectStatus, type Proven, type RefEntry, RefType } from "makechain";
import type { Route } from "./route.js";

/** ProjectViewProps are the properties of the views inside of a project. */
export interface ProjectViewProps {
  /** The project, its metadata, fork parent and all refs, proven at one root. */
  readonly project: Proven<ProjectState>;
  /** The segments of the project's own location: href([...base, "refs"]) is a link inside of it. */
  readonly base: readonly string[];
  /** The route after the name of the view: for "#/project/alice/hello/tree/REF/docs" its path is ["REF", "docs"]. */
  readonly route: Route;
}

/** ProjectRoute is a route split into the project, the view and what follows. */
interface ProjectRoute {
  /** "alice/hello", or the id in hex digits. */
  readonly project: string;
  readonly base: readonly string[];
  readonly view: string;
  readonly rest: readonly string[];
}

/** splitProject splits the segments after "project". A first segment of 64 hex digits is an id; otherwise two segments are a name. */
export function splitProject(path: readonly string[]): ProjectRoute {
  const [first = ""] = path;
  const named = /^[0-9a-f]{64}$/.test(first) ? 1 : 2;
  const name = path.slice(0, named);
  return { project: name.join("/"), base: ["project", ...name], view: path[named] ?? "", rest: path.slice(named + 1) };
}

/** metadata returns a field of a project, empty when it is not set. */
export const metadata = (project: ProjectState, field: ProjectMetadataType): string => project.metadata.get(field) ?? "";

export const isPrivate = (project: ProjectState): boolean => metadata(project, ProjectMetadataType.PROJECT_METADATA_VISIBILITY) === "private";
export const isRemoved = (project: ProjectState): boolean => project.row?.status === ProjectStatus.REMOVED;
export const isArchived = (project: ProjectState): boolean => project.row?.status === ProjectStatus.ARCHIVED;

export const branches = (project: ProjectState): readonly RefEntry[] => project.refs.filter((ref) => ref.value.refType === RefType.BRANCH);
export const tags = (project: ProjectState): readonly RefEntry[] => project.refs.filter((ref) => ref.value.refType === RefType.TAG);

/** defaultBranch returns the branch that a clone checks out: the one that the project names, else main, master or the first. It is undefined without branches. */
export function defaultBranch(project: ProjectState): RefEntry | undefined {
  const all = branches(project);
  const named = metadata(project, ProjectMetadataType.PROJECT_METADATA_DEFAULT_BRANCH);
  for (const name of [named, "refs/heads/main", "refs/heads/master"]) {
    const found = all.find((ref) => ref.name === name);
    if (found !== undefined) return found;
  }
  return all[0];
}
