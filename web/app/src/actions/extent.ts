// What a merge request that is closed asked for: its commits, and where its changes begin.
import { bytesEqual, type Client, type ClosedMergeRequestRow, type Evidence, MergeRequestOutcome, type Proven, type RefLogEntry } from "makechain";
import { chainHash, type Commit, objectId, type Repository } from "makechain/git";
import { relate, type Relation } from "./relation.js";

/** How many entries of the ref log are read at a time, and how many pages of them. */
const logPage = 200;
const maxLogPages = 10;

/**
 * Start is how it is known where the branch was before the merge: the parents of the merge commit are verified, the ref log is the node's
 * word, "now" compares with the branch as it is, and "unknown" shows the newest commit alone.
 */
export type Start = "parents" | "log" | "now" | "unknown";

/** Extent is what a closed merge request contains. */
export interface Extent extends Relation {
  readonly start: Start;
  /** The commit that the node's ref log names, for "log". */
  readonly before?: string;
}

interface Closed {
  readonly client: Client;
  readonly repository: Repository;
  /** The project that the request is for. */
  readonly project: Uint8Array;
  readonly row: ClosedMergeRequestRow;
  /** The branch as it is now; undefined if it does not exist. */
  readonly branch: Uint8Array | undefined;
  /** The evidence of the row and of the branch. */
  readonly evidence: Evidence;
}

/**
 * extentOf returns the commits of a closed merge request. All of them are verified objects that the commit of the proven row leads to; start
 * tells how far the place where they begin is known.
 */
export async function extentOf(closed: Closed, signal: AbortSignal): Promise<Proven<Extent>> {
  const { row, repository, branch, evidence } = closed;
  const against = (before: Uint8Array, head = row.sourceCommitHash) => relate(repository, { commit: head, branch: before }, evidence, signal);
  const found = async (start: Start, before: Uint8Array): Promise<Proven<Extent> | undefined> => {
    const { value, evidence } = await against(before);
    return value.ahead.length === 0 ? undefined : { value: { ...value, start, ...(start === "log" ? { before: objectId(before) } : {}) }, evidence };
  };
  if (row.outcome !== MergeRequestOutcome.MERGED) return (branch && (await found("now", branch))) ?? (await alone(closed, signal));
  const merge = await repository.commit(objectId(row.mergeCommit), signal);
  // A merge commit that the fork already had is not the one that merged the request.
  const [first, second] = bytesEqual(row.mergeCommit, row.sourceCommitHash) ? [] : merge.parents;
  const byParents = first === undefined || second === undefined ? undefined : await found("parents", chainHash(first));
  if (byParents !== undefined) return byParents;
  const logged = await loggedMove(closed, signal);
  if (logged === undefined || logged.oldHash.every((byte) => byte === 0)) return alone(closed, signal);
  // The branch moved forward to the merge, unless the node's log is wrong or the branch was replaced.
  const isForward = (await against(logged.oldHash, row.mergeCommit)).value.behind === 0;
  return (isForward ? await found("log", logged.oldHash) : undefined) ?? alone(closed, signal);
}

/** alone returns the newest commit of a request, compared with its first parent. */
async function alone({ repository, row, evidence }: Closed, signal: AbortSignal): Promise<Proven<Extent>> {
  const head = await repository.commit(objectId(row.sourceCommitHash), signal);
  const base: Commit | undefined = head.parents[0] === undefined ? undefined : await repository.commit(head.parents[0], signal);
  return { value: { ahead: [head], behind: 0, base, repository, start: "unknown" }, evidence };
}

/** loggedMove returns the change of the branch that brought the merge, by the ref log of the node; undefined if the log does not have it. */
async function loggedMove({ client, project, row }: Closed, signal: AbortSignal): Promise<RefLogEntry | undefined> {
  let cursor: Uint8Array = new Uint8Array();
  for (let page = 0; page < maxLogPages; page++) {
    const { entries, nextCursor } = await client.calls.getRefLog({ projectId: project, refName: row.targetRef, limit: logPage, cursor }, { signal });
    const before = entries.filter(({ blockNumber }) => blockNumber <= row.blockNumber);
    const exact = before.find(({ newHash }) => bytesEqual(newHash, row.mergeCommit));
    if (exact !== undefined) return exact;
    if (nextCursor.length === 0) return undefined;
    cursor = nextCursor;
  }
  return undefined;
}
