// The operations of the page that the delegated key signs.
import { AccountDataType, LinkType, MergeRequestOutcome, Permission, ProjectMetadataType, ReactionType, RefType, Visibility } from "makechain";
import { gitId, shorten } from "../format.js";
import type { Field, Item, MessageBody, Operation } from "./operation.js";

const message = (words: string, body: MessageBody): Item => ({ kind: "message", words, body });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Named is an id with the name under which the user knows it. */
export interface Named {
  readonly id: Uint8Array;
  readonly name: string;
}

/** star returns the operation that adds a star to a project, or removes it. */
export function star(project: Named, add: boolean): Operation {
  const title = `${add ? "Star" : "Remove the star from"} ${project.name}`;
  const value = { linkType: LinkType.STAR, target: { case: "targetProjectId" as const, value: project.id } };
  return { title, verb: add ? "Star" : "Unstar", items: [message(title, { case: add ? "linkAdd" : "linkRemove", value })] };
}

/** follow returns the operation that follows an account, or no longer. */
export function follow(account: Named, add: boolean): Operation {
  const title = `${add ? "Follow" : "Stop following"} ${account.name}`;
  const value = { linkType: LinkType.FOLLOW, target: { case: "targetOwnerAddress" as const, value: account.id } };
  return { title, verb: add ? "Follow" : "Unfollow", items: [message(title, { case: add ? "linkAdd" : "linkRemove", value })] };
}

/** like returns the operation that likes a commit, or no longer. */
export function like(project: Named, commit: Uint8Array, add: boolean): Operation {
  const title = `${add ? "Like" : "Remove the like of"} commit ${shorten(gitId(commit))} of ${project.name}`;
  const value = { reactionType: ReactionType.LIKE, targetProjectId: project.id, targetCommitHash: commit };
  return { title, verb: add ? "Like" : "Unlike", items: [message(title, { case: add ? "reactionAdd" : "reactionRemove", value })] };
}

/** Profile is what an account says about itself. */
export interface Profile {
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
  readonly avatar: string;
}

const profileFields = [
  ["displayName", "display name", AccountDataType.ACCOUNT_DATA_DISPLAY_NAME],
  ["bio", "bio", AccountDataType.ACCOUNT_DATA_BIO],
  ["website", "website", AccountDataType.ACCOUNT_DATA_WEBSITE],
  ["avatar", "avatar", AccountDataType.ACCOUNT_DATA_AVATAR],
] as const;

/** editProfile returns the operation with one message for each field that changes. */
export function editProfile(before: Profile, after: Profile): Operation {
  const items = profileFields.flatMap(([key, words, field]) => {
    const value = after[key];
    if (before[key] === value) return [];
    return [message(value === "" ? `Remove the ${words}` : `Set the ${words} to “${value}”`, { case: "accountData", value: { field, value } })];
  });
  return { title: "Edit the profile", verb: "Save", items };
}

/** NewProject is a project to create. */
export interface NewProject {
  readonly name: string;
  readonly description: string;
  readonly license: string;
  readonly isPrivate: boolean;
}

/** createProject returns the operation that creates a project of an owner. */
export function createProject(owner: string, project: NewProject): Operation {
  const { name, description, license, isPrivate } = project;
  const title = `Create the ${isPrivate ? "private" : "public"} project ${owner}/${name}`;
  const visibility = isPrivate ? Visibility.PRIVATE : Visibility.PUBLIC;
  return { title, verb: "Create", items: [message(title, { case: "projectCreate", value: { name, description, license, visibility } })] };
}

/** Fork is a fork to create: of a commit of a project, with a branch at it. */
export interface Fork {
  readonly source: Named;
  readonly commit: Uint8Array;
  readonly branch: string;
  /** Whether clients check the branch out without being told. */
  readonly isUsualBranch: boolean;
  readonly name: string;
  readonly isPrivate: boolean;
  /** The fields of the statement that makes the content service copy the files. */
  readonly statement: readonly Field[];
  /** Makes the content service copy the files. */
  readonly importContent: (fork: Uint8Array, source: Uint8Array) => Promise<void>;
}

/** forkProject returns the operation that forks a project, creates its branch and copies its content. */
export function forkProject(owner: string, fork: Fork): Operation {
  const { source, commit, branch, name } = fork;
  const visibility = fork.isPrivate ? Visibility.PRIVATE : Visibility.PUBLIC;
  const created = (ids: readonly Uint8Array[]) => ids[0] ?? new Uint8Array(0);
  const items: Item[] = [
    message(`Create ${owner}/${name} as a fork of ${source.name} at ${shorten(gitId(commit))}`, {
      case: "fork",
      value: { sourceProjectId: source.id, sourceCommitHash: commit, name, visibility },
    }),
    {
      kind: "message",
      words: `Create its branch ${branch}`,
      body: (ids) => ({
        case: "refUpdate",
        value: { projectId: created(ids), refName: bytes(branch), refType: RefType.BRANCH, newHash: commit, nonce: 1n },
      }),
    },
  ];
  if (!fork.isUsualBranch) {
    items.push({
      kind: "message",
      words: `Make ${branch} its default branch`,
      body: (ids) => ({ case: "projectMetadata", value: { projectId: created(ids), field: ProjectMetadataType.PROJECT_METADATA_DEFAULT_BRANCH, value: branch } }),
    });
  }
  items.push({
    kind: "step",
    words: "Copy the files to the fork. The delegated key signs a statement for the content service of this node.",
    fields: fork.statement,
    run: (ids) => fork.importContent(created(ids), source.id),
  });
  return { title: `Fork ${source.name}`, verb: "Fork", items };
}

/** Change is a new value of a field of a project. */
export interface Change {
  readonly field: ProjectMetadataType;
  /** The field in words: "description". */
  readonly words: string;
  readonly value: string;
}

/** editProject returns the operation with one message for each changed field. */
export function editProject(project: Named, changes: readonly Change[]): Operation {
  const items = changes.map(({ field, words, value }) =>
    message(value === "" ? `Remove the ${words}` : `Set the ${words} to “${value}”`, { case: "projectMetadata", value: { projectId: project.id, field, value } }),
  );
  return { title: `Change ${project.name}`, verb: "Save", items };
}

/** archiveProject returns the operation that archives a project for good. */
export function archiveProject(project: Named): Operation {
  const title = `Archive ${project.name}`;
  return {
    title,
    verb: "Archive",
    destructive: true,
    note: "An archived project cannot be changed again, by anybody. It can still be read, cloned and forked.",
    items: [message(title, { case: "projectArchive", value: { projectId: project.id } })],
  };
}

/** removeProject returns the operation that removes a project for good. */
export function removeProject(project: Named): Operation {
  const title = `Remove ${project.name}`;
  return {
    title,
    verb: "Remove",
    destructive: true,
    note: "A removed project cannot be restored: its branches, commits and merge requests are deleted from the chain.",
    items: [message(title, { case: "projectRemove", value: { projectId: project.id } })],
  };
}

/** addCollaborator returns the operation that gives an account a permission in a project. */
export function addCollaborator(project: Named, account: Named, permission: Permission): Operation {
  const title = `Give ${account.name} the permission ${Permission[permission]} in ${project.name}`;
  return { title, verb: "Add", items: [message(title, { case: "collaboratorAdd", value: { projectId: project.id, permission, targetOwnerAddress: account.id } })] };
}

/** removeCollaborator returns the operation that takes the permission of an account away. */
export function removeCollaborator(project: Named, account: Named): Operation {
  const title = `Remove ${account.name} from ${project.name}`;
  return { title, verb: "Remove", destructive: true, items: [message(title, { case: "collaboratorRemove", value: { projectId: project.id, targetOwnerAddress: account.id } })] };
}

/** BranchState is a branch as it is on the chain. */
export interface BranchState {
  readonly name: string;
  readonly hash: Uint8Array;
  readonly nonce: bigint;
}

/** removeBranch returns the operation that deletes a branch or tag, if it is still at its commit. */
export function removeBranch(project: Named, branch: BranchState): Operation {
  const title = `Remove ${branch.name} from ${project.name}`;
  const value = { projectId: project.id, refName: bytes(branch.name), expectedHash: branch.hash, nonce: branch.nonce + 1n };
  return { title, verb: "Remove", destructive: true, note: "Commits that no other branch contains may be deleted from the chain later.", items: [message(title, { case: "refDelete", value })] };
}

/** Proposal is a merge request to open. */
export interface Proposal {
  readonly target: Named;
  readonly targetRef: string;
  readonly source: Named;
  readonly sourceRef: string;
  readonly commit: Uint8Array;
  readonly title: string;
}

/** openRequest returns the operation that opens a merge request. */
export function openRequest({ target, targetRef, source, sourceRef, commit, title }: Proposal): Operation {
  const value = { projectId: target.id, sourceProjectId: source.id, sourceRef: bytes(sourceRef), sourceCommitHash: commit, targetRef: bytes(targetRef), title };
  const words = `Ask to merge ${source.name} ${sourceRef} at ${shorten(gitId(commit))} into ${target.name} ${targetRef}: “${title}”`;
  return { title: "Open a merge request", verb: "Open", items: [message(words, { case: "mergeRequestAdd", value })] };
}

/** closeItem returns the message that closes a merge request. */
export function closeItem(project: Named, request: Uint8Array, outcome: MergeRequestOutcome, mergeCommit: Uint8Array = new Uint8Array(0)): Item {
  const words = `Close the merge request as ${MergeRequestOutcome[outcome].toLowerCase()}`;
  return message(words, { case: "mergeRequestRemove", value: { projectId: project.id, requestId: request, outcome, mergeCommit } });
}

/** closeRequest returns the operation that declines or withdraws a merge request, or closes one whose commit the branch contains as merged. */
export function closeRequest(project: Named, request: Uint8Array, outcome: MergeRequestOutcome, mergeCommit?: Uint8Array): Operation {
  const verb = { [MergeRequestOutcome.WITHDRAWN]: "Withdraw", [MergeRequestOutcome.MERGED]: "Close" }[outcome as number] ?? "Decline";
  return { title: `${verb} the merge request`, verb, destructive: true, note: "A closed merge request cannot be opened again.", items: [closeItem(project, request, outcome, mergeCommit)] };
}
