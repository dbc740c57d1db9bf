// Facts about a project that follow from its proven state.
import { bytesEqual, type Client, Permission, ProjectMetadataType, ProjectStatus, type ProjectState, rows } from "makechain";

const usualBranches: readonly string[] = ["refs/heads/main", "refs/heads/master"];

/** isUsualBranch reports whether clients check a branch out without a default branch. */
export const isUsualBranch = (name: string): boolean => usualBranches.includes(name);

/** nameOf returns the name of a project without its owner. */
export const nameOf = (project: ProjectState): string => project.metadata.get(ProjectMetadataType.PROJECT_METADATA_NAME) ?? "";

/** defaultBranch returns the branch that a clone checks out: the one that is set, main or master, or the first. */
export function defaultBranch(project: ProjectState): ProjectState["refs"][number] | undefined {
  const set = project.metadata.get(ProjectMetadataType.PROJECT_METADATA_DEFAULT_BRANCH) ?? "";
  const branches = project.refs.filter((ref) => ref.name.startsWith("refs/heads/"));
  for (const name of [set, ...usualBranches]) {
    const found = branches.find((ref) => ref.name === name);
    if (found !== undefined) return found;
  }
  return branches[0];
}

/** isActive reports whether a project can be changed. */
export const isActive = (project: ProjectState): boolean => project.row?.status === ProjectStatus.ACTIVE;

/** permissionOf returns the permission of an account in a project, proven, or undefined for none. */
export async function permissionOf(client: Client, project: ProjectState, account: Uint8Array): Promise<Permission | undefined> {
  if (project.row !== undefined && bytesEqual(project.row.ownerAddress, account)) return Permission.OWNER;
  return (await client.row(rows.collaborator, project.id, account)).value?.permission;
}
