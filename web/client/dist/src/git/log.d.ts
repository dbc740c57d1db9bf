import type { Commit } from "./object.js";
import type { Repository } from "./repository.js";
/** Log walks the commits that are reachable from others, the latest first. */
export declare class Log {
    private readonly repository;
    private readonly queue;
    private readonly seen;
    private waiting;
    constructor(repository: Repository, starts: readonly string[]);
    /** done reports whether all commits were returned. */
    get done(): boolean;
    /** next returns the next commit. After an error it can be called again. */
    next(signal?: AbortSignal): Promise<Commit | undefined>;
    /** follow adds parents of a commit to the walk. */
    follow(parents: readonly string[]): void;
    /** page returns at most count commits, with all their parents followed. */
    page(count: number, signal?: AbortSignal): Promise<Commit[]>;
}
/** PathLog finds the commits that change a path, as `git log -- path` does: a merge that has the path of a parent follows that parent only. */
export declare class PathLog {
    private readonly repository;
    private readonly path;
    private readonly log;
    constructor(repository: Repository, start: string, path: readonly string[]);
    get done(): boolean;
    /** page returns at most count commits that change the path, from at most examined commits. */
    page(count: number, examined: number, signal?: AbortSignal): Promise<Commit[]>;
}
/**
 * PathHint verifies the commits that a node names as those that change a path, page by page: each one changes it, what the path is after it
 * is what it was before a commit that was listed earlier, and the history ends where the path began. It cannot tell whether the node left out
 * changes that were undone again.
 */
export declare class PathHint {
    private readonly repository;
    private readonly path;
    /** What the path was before the commits that were listed. */
    private readonly before;
    /** What it was after them. */
    private readonly after;
    constructor(repository: Repository, path: readonly string[], 
    /** What the path is at the start, see Repository.identify. */
    tip: string);
    /** verify returns the commits of a page. It throws a ProofError if they cannot be the next changes of the path. */
    verify(ids: readonly string[], last: boolean, signal?: AbortSignal): Promise<Commit[]>;
    /** read returns a commit, and what the path is after it and in its parents. */
    private read;
}
