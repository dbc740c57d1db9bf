// How the commits of a merge request relate to its target branch, from verified git objects.
import { withSteps, type Evidence, type Proven } from "makechain";
import { type Commit, objectId, recomputed, type Repository } from "makechain/git";

/** maxCommits is how many commits are read to compare two branches. */
const maxCommits = 2000;

/** Relation is what a merge of a commit into a branch would do. */
export interface Relation {
  /** Commits that the branch does not have, parents before children. */
  readonly ahead: readonly Commit[];
  /** How many commits the branch has in addition: a fast-forward is possible if there are none. */
  readonly behind: number;
  /** The newest commit that both have, where the changes begin; undefined if the histories have nothing in common. */
  readonly base: Commit | undefined;
  /** The repository that has the objects of the commits: the content of the fork and of the target. */
  readonly repository: Repository;
}

const source = 1;
const target = 2;
const both = source | target;

interface Walk {
  readonly commits: Map<string, Commit>;
  readonly marks: Map<string, number>;
}

/**
 * relate compares a commit of a fork with a branch. Every commit is read as a git object whose id is recomputed, so the result is as certain
 * as the two hashes, whose evidence it extends. It throws an Error if more than maxCommits commits are between them.
 */
export async function relate(
  repository: Repository,
  ids: { readonly commit: Uint8Array; readonly branch: Uint8Array },
  evidence: Evidence,
  signal: AbortSignal,
): Promise<Proven<Relation>> {
  const head = objectId(ids.commit);
  const { commits, marks } = await walk(repository, head, objectId(ids.branch), signal);
  const marked = (mark: number) => [...commits.values()].filter((commit) => marks.get(commit.id) === mark);
  const [base] = marked(both).sort((a, b) => b.committer.time - a.committer.time);
  const only = new Set(marked(source).map((commit) => commit.id));
  const relation = { ahead: ordered(head, only, commits), behind: marked(target).length, base, repository };
  return { value: relation, evidence: withSteps(evidence, ...[...commits.keys()].slice(0, 50).map((id) => recomputed("commit", id))) };
}

/** walk marks the commits that each of two commits reaches, the latest first, until only common ones are left. */
async function walk(repository: Repository, head: string, branch: string, signal: AbortSignal): Promise<Walk> {
  const commits = new Map<string, Commit>();
  const marks = new Map<string, number>();
  let queue: Commit[] = [];
  const add = async (id: string, mark: number) => {
    const before = marks.get(id) ?? 0;
    if ((before | mark) === before) return;
    marks.set(id, before | mark);
    const known = commits.get(id);
    const commit = known ?? (await repository.commit(id, signal));
    commits.set(id, commit);
    if (commits.size > maxCommits) throw new Error(`The branches differ by more than ${maxCommits} commits. Compare and merge them with git.`);
    if (!queue.includes(commit)) queue.push(commit); // again, to pass the new mark on to its parents
  };
  await add(branch, target);
  await add(head, source);
  while (queue.some((commit) => marks.get(commit.id) !== both)) {
    queue = queue.sort((a, b) => b.committer.time - a.committer.time);
    const next = queue.shift();
    if (next === undefined) break;
    for (const parent of next.parents) await add(parent, marks.get(next.id) ?? 0);
  }
  return { commits, marks };
}

/** ordered returns the commits of a set, parents before children, without recursion: a history can be long. */
function ordered(head: string, set: ReadonlySet<string>, commits: ReadonlyMap<string, Commit>): Commit[] {
  const result: Commit[] = [];
  const done = new Set<string>();
  const stack = [head];
  while (stack.length > 0) {
    const id = stack[stack.length - 1] ?? "";
    const commit = commits.get(id);
    const waiting = commit?.parents.filter((parent) => set.has(parent) && !done.has(parent)) ?? [];
    if (commit !== undefined && set.has(id) && !done.has(id) && waiting.length > 0) {
      stack.push(...waiting);
      continue;
    }
    stack.pop();
    if (commit !== undefined && set.has(id) && !done.has(id)) {
      done.add(id);
      result.push(commit);
    }
  }
  return result;
}
