import { ProofError } from "../evidence.js";
import { isObjectId, MalformedError, objectId, parseCommit, parseTag } from "./object.js";
import { parseTree } from "./tree.js";
/** How many tags may point to each other: git has no limit, and nobody needs more. */
const maxTags = 16;
/** PathError means that a commit does not have a path. It is as certain as the commit itself. */
export class PathError extends Error {
    constructor(message) {
        super(message);
        this.name = "PathError";
    }
}
/** recomputed is the check of one object. */
export function recomputed(type, id, name = "") {
    return { name: "object", detail: `${type} ${id.slice(0, 12)}${name === "" ? "" : ` (${name})`}: its id was recomputed from its content` };
}
/** Repository reads objects of one project as what they are. All of them are verified by the store. */
export class Repository {
    store;
    constructor(store) {
        this.store = store;
    }
    async commit(id, signal) {
        return parseCommit(await this.store.get(id, signal));
    }
    async tag(id, signal) {
        return parseTag(await this.store.get(id, signal));
    }
    async tree(id, signal) {
        return parseTree(await this.store.get(id, signal));
    }
    /** blob returns the content of a file. */
    async blob(id, signal) {
        const { type, content } = await this.store.get(id, signal);
        if (type !== "blob")
            throw new MalformedError(`${id} is a ${type}, not a file`);
        return content;
    }
    /** prefetch reads objects into the cache of the store. Ids may come from a node: they decide only what is read early. */
    prefetch(ids, signal) {
        for (const id of ids)
            if (isObjectId(id))
                this.store.get(id, signal).catch(() => undefined);
    }
    /**
     * resolve returns the commit of a ref of the chain, which names the commit and, for an annotated tag, the tag object. It throws a
     * ProofError if the tag leads to another commit.
     */
    async resolve(ref, signal) {
        const target = objectId(ref.hash);
        const tags = [];
        if (ref.tagObject !== undefined && ref.tagObject.length > 0) {
            let next = { id: objectId(ref.tagObject), type: "tag" };
            while (next.type === "tag") {
                if (tags.length === maxTags)
                    throw new MalformedError(`tag ${target} points to more than ${maxTags} tags`);
                const tag = await this.tag(next.id, signal);
                tags.push(tag);
                next = { id: tag.object, type: tag.type };
            }
            if (next.id !== target)
                throw new ProofError("object", `the tag object leads to ${next.id}, and the chain has ${target}`);
        }
        const commit = await this.commit(target, signal);
        const steps = [...tags.map((tag) => recomputed("tag", tag.id)), recomputed("commit", commit.id)];
        return { commit, tags, steps };
    }
    /** find returns what a path of a commit names; the root for an empty path. It throws a PathError if there is nothing. */
    async find(commit, path, signal) {
        const steps = [];
        let at = { kind: "tree", mode: "040000", id: commit.tree };
        for (const [depth, name] of path.entries()) {
            const where = path.slice(0, depth).join("/");
            if (at.kind !== "tree")
                throw new PathError(`${where} is not a directory`);
            const entry = (await this.tree(at.id, signal)).find((candidate) => candidate.name === name);
            steps.push(recomputed("tree", at.id, where === "" ? "/" : where));
            if (entry === undefined)
                throw new PathError(`commit ${commit.id.slice(0, 12)} does not have ${path.slice(0, depth + 1).join("/")}`);
            at = entry;
        }
        if (at.kind !== "commit") {
            await this.store.get(at.id, signal);
            steps.push(recomputed(at.kind === "tree" ? "tree" : "blob", at.id, path.length === 0 ? "/" : path.join("/")));
        }
        return { kind: at.kind, mode: at.mode, id: at.id, steps };
    }
    /** identify returns a text that is equal for two commits if and only if a path has the same content in both. */
    async identify(tree, path, signal) {
        let at = `040000 ${tree}`;
        for (const name of path) {
            if (!at.startsWith("040000 "))
                return "";
            const entry = (await this.tree(at.slice(7), signal)).find((candidate) => candidate.name === name);
            if (entry === undefined)
                return "";
            at = `${entry.mode} ${entry.id}`;
        }
        return at;
    }
}
