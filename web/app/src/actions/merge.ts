// Merging a merge request by a fast-forward: the branch of the target moves to the commit of the fork.
import { bytesEqual, type Client, type CommitMeta, digest, type EntryOf, MergeRequestOutcome, RefType, rows } from "makechain";
import { chainHash, type Commit, type Repository } from "makechain/git";
import { gitId, hex, plural, shorten } from "../format.js";
import type { Page } from "../page.js";
import type { Session } from "../session/session.js";
import { importContent, statementFields } from "./import.js";
import type { Item, Operation } from "./operation.js";
import { closeItem, type Named } from "./operations.js";
import type { Relation } from "./relation.js";

/** maxMergeCommits is how many commits are merged in the page. More are merged with git. */
export const maxMergeCommits = 200;
const maxTitle = 200;
const maxAuthorName = 100;

/** OpenRequest is an open merge request. */
export type OpenRequest = EntryOf<typeof rows.mergeRequest>;

interface Merge {
  readonly client: Client;
  readonly page: Page;
  readonly session: Session;
  readonly target: Named;
  readonly request: OpenRequest;
  readonly relation: Relation;
}

/**
 * mergeRequest returns the operation that merges: the content service copies the files of the fork, the target gets the commits and its
 * branch moves, and the request is closed as merged.
 */
export async function mergeRequest({ client, page, session, target, request, relation }: Merge): Promise<Operation> {
  const { sourceProjectId, sourceCommitHash, targetRef } = request.value;
  const branch = new TextDecoder().decode(targetRef);
  const [ref, tip] = await Promise.all([client.row(rows.ref, target.id, targetRef), client.row(rows.commit, target.id, sourceCommitHash)]);
  if (ref.value === undefined) throw new Error(`${target.name} no longer has the branch ${branch}.`);
  const commits = tip.value === undefined ? await bundles(client, target, request, relation) : [];
  const update = {
    projectId: target.id,
    refName: targetRef,
    refType: RefType.BRANCH,
    oldHash: ref.value.hash,
    newHash: sourceCommitHash,
    nonce: ref.value.nonce + 1n,
  };
  const items: Item[] = [
    {
      kind: "step",
      words: `Copy the files of the fork to ${target.name}. The delegated key signs a statement for the content service of this node.`,
      fields: statementFields(page, session, hex(target.id), sourceProjectId),
      run: () => importContent(client, page, session, target.id, sourceProjectId),
    },
    ...commits,
    { kind: "message", words: `Move ${branch} of ${target.name} forward to ${shorten(gitId(sourceCommitHash))}`, body: { case: "refUpdate", value: update } },
    closeItem(target, request.request, MergeRequestOutcome.MERGED, sourceCommitHash),
  ];
  return { title: `Merge into ${target.name}`, verb: "Merge", items };
}

/** bundles returns the messages with the commits, in groups that were pushed to the fork together and name the same content. */
async function bundles(client: Client, target: Named, request: OpenRequest, { ahead, repository }: Relation): Promise<Item[]> {
  if (ahead.length > maxMergeCommits) throw new Error(`A merge of more than ${maxMergeCommits} commits needs git: use “makechain mr merge”.`);
  const { sourceProjectId, requesterOwnerAddress } = request.value;
  const digests = await Promise.all(
    ahead.map(async (commit) => (await client.row(rows.commit, sourceProjectId, chainHash(commit.id))).value?.contentDigest ?? new Uint8Array(0)),
  );
  const groups: { contentDigest: Uint8Array; commits: CommitInit[] }[] = [];
  for (const [index, commit] of ahead.entries()) {
    const contentDigest = digests[index] ?? new Uint8Array(0);
    const last = groups[groups.length - 1];
    const group = last !== undefined && bytesEqual(last.contentDigest, contentDigest) ? last : { contentDigest, commits: [] };
    if (group !== last) groups.push(group);
    group.commits.push(await metadata(repository, commit, requesterOwnerAddress));
  }
  return groups.map(({ contentDigest, commits }) => ({
    kind: "message",
    words: `Add ${plural(commits.length, "commit")} to ${target.name}`,
    body: { case: "commitBundle", value: { projectId: target.id, commits, contentDigest } },
  }));
}

type CommitInit = Omit<CommitMeta, "$typeName" | "$unknown">;

/** metadata returns what the chain stores about a commit: from the git object itself, because the rows of a fork are its owner's word. */
async function metadata(repository: Repository, commit: Commit, author: Uint8Array): Promise<CommitInit> {
  const { content } = await repository.store.get(commit.id);
  const end = content.findIndex((byte, index) => byte === 10 && content[index + 1] === 10);
  return {
    hash: chainHash(commit.id),
    parents: commit.parents.map(chainHash),
    treeRoot: chainHash(commit.tree),
    authorTimestamp: Math.min(Math.max(commit.author.time, 0), 2 ** 32 - 1),
    title: titleOf(commit.message),
    messageHash: digest(end < 0 ? new Uint8Array(0) : content.subarray(end + 2)),
    authorAddress: author,
    authorName: cut(commit.author.name.replace(/\p{Cc}/gu, ""), maxAuthorName, "").trim(),
  };
}

/** titleOf returns the first paragraph of a message in one line, as git does. */
export function titleOf(message: string, maximum = maxTitle): string {
  const lines: string[] = [];
  for (const line of message.split("\n").map((each) => each.replace(/[ \t\r\v\f]+$/, ""))) {
    if (line !== "") lines.push(line);
    else if (lines.length > 0) break;
  }
  return cut(lines.join(" "), maximum, "…");
}

/** cut shortens a text to a number of bytes in UTF-8, at the boundary of a character. */
function cut(text: string, bytes: number, ellipsis: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= bytes) return text;
  const room = new Uint8Array(bytes - encoder.encode(ellipsis).length);
  return text.slice(0, encoder.encodeInto(text, room).read) + ellipsis;
}
