// Histories: commits in the order of `git log`, and the commits that change a path.
import { ProofError } from "../evidence.js";
/** Queue is a priority queue of commits: the latest committer date first, then the order of arrival, as in git. */
class Queue {
    heap = [];
    arrived = 0;
    get size() {
        return this.heap.length;
    }
    push(commit) {
        const { heap } = this;
        heap.push({ commit, order: this.arrived++ });
        for (let at = heap.length - 1; at > 0;) {
            const up = (at - 1) >> 1;
            if (!this.before(at, up))
                break;
            this.swap(at, up);
            at = up;
        }
    }
    pop() {
        const { heap } = this;
        const first = heap[0];
        const last = heap.pop();
        if (first === undefined || last === undefined || heap.length === 0)
            return first?.commit;
        heap[0] = last;
        for (let at = 0;;) {
            let next = at;
            for (const child of [2 * at + 1, 2 * at + 2])
                if (child < heap.length && this.before(child, next))
                    next = child;
            if (next === at)
                return first.commit;
            this.swap(at, next);
            at = next;
        }
    }
    before(a, b) {
        const left = this.heap[a], right = this.heap[b];
        if (left === undefined || right === undefined)
            return false;
        const later = left.commit.committer.time - right.commit.committer.time;
        return later !== 0 ? later > 0 : left.order < right.order;
    }
    swap(a, b) {
        const left = this.heap[a], right = this.heap[b];
        if (left !== undefined && right !== undefined)
            (this.heap[a] = right), (this.heap[b] = left);
    }
}
/** Log walks the commits that are reachable from others, the latest first. */
export class Log {
    repository;
    queue = new Queue();
    seen = new Set();
    waiting;
    constructor(repository, starts) {
        this.repository = repository;
        this.waiting = [...starts];
    }
    /** done reports whether all commits were returned. */
    get done() {
        return this.waiting.length === 0 && this.queue.size === 0;
    }
    /** next returns the next commit. After an error it can be called again. */
    async next(signal) {
        const added = await Promise.all(this.waiting.map((id) => this.repository.commit(id, signal)));
        this.waiting = [];
        for (const commit of added) {
            if (this.seen.has(commit.id))
                continue;
            this.seen.add(commit.id);
            this.queue.push(commit);
        }
        return this.queue.pop();
    }
    /** follow adds parents of a commit to the walk. */
    follow(parents) {
        for (const id of parents)
            if (!this.seen.has(id))
                this.waiting.push(id);
    }
    /** page returns at most count commits, with all their parents followed. */
    async page(count, signal) {
        const commits = [];
        while (commits.length < count && !this.done) {
            const commit = await this.next(signal);
            if (commit === undefined)
                break;
            this.follow(commit.parents);
            commits.push(commit);
        }
        return commits;
    }
}
/** PathLog finds the commits that change a path, as `git log -- path` does: a merge that has the path of a parent follows that parent only. */
export class PathLog {
    repository;
    path;
    log;
    constructor(repository, start, path) {
        this.repository = repository;
        this.path = path;
        this.log = new Log(repository, [start]);
    }
    get done() {
        return this.log.done;
    }
    /** page returns at most count commits that change the path, from at most examined commits. */
    async page(count, examined, signal) {
        const commits = [];
        for (let i = 0; i < examined && commits.length < count && !this.done; i++) {
            const commit = await this.log.next(signal);
            if (commit === undefined)
                break;
            const parents = await Promise.all(commit.parents.map((id) => this.repository.commit(id, signal)));
            const [here, ...there] = await Promise.all([commit, ...parents].map(({ tree }) => this.repository.identify(tree, this.path, signal)));
            const same = parents[there.findIndex((before) => before === here)];
            this.log.follow(same === undefined ? commit.parents : [same.id]);
            if (same === undefined && (here !== "" || parents.length > 0))
                commits.push(commit);
        }
        return commits;
    }
}
/**
 * PathHint verifies the commits that a node names as those that change a path, page by page: each one changes it, what the path is after it
 * is what it was before a commit that was listed earlier, and the history ends where the path began. It cannot tell whether the node left out
 * changes that were undone again.
 */
export class PathHint {
    repository;
    path;
    /** What the path was before the commits that were listed. */
    before = new Set();
    /** What it was after them. */
    after = new Set();
    constructor(repository, path, 
    /** What the path is at the start, see Repository.identify. */
    tip) {
        this.repository = repository;
        this.path = path;
        this.before.add(tip);
    }
    /** verify returns the commits of a page. It throws a ProofError if they cannot be the next changes of the path. */
    async verify(ids, last, signal) {
        const name = this.path.join("/");
        const changes = ids.map((id) => this.read(id, signal));
        for (const change of changes)
            change.catch(() => undefined); // reported in their order below
        const commits = [];
        for (const change of changes) {
            const { commit, after, before } = await change;
            const { id } = commit;
            if (before.includes(after) || (after === "" && before.length === 0))
                throw new ProofError("object", `commit ${id} does not change ${name}`);
            if (!this.before.has(after))
                throw new ProofError("object", `the history of ${name} has a gap before commit ${id}`);
            this.after.add(after);
            before.forEach((state) => this.before.add(state));
            commits.push(commit);
        }
        if (last && [...this.before].some((state) => state !== "" && !this.after.has(state))) {
            throw new ProofError("object", `the history of ${name} ends before the path began`);
        }
        return commits;
    }
    /** read returns a commit, and what the path is after it and in its parents. */
    async read(id, signal) {
        const { repository, path } = this;
        const commit = await repository.commit(id, signal);
        const parents = await Promise.all(commit.parents.map((parent) => repository.commit(parent, signal)));
        const [after = "", ...before] = await Promise.all([commit, ...parents].map(({ tree }) => repository.identify(tree, path, signal)));
        return { commit, after, before };
    }
}
