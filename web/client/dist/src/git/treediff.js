// Differences between two trees.
import { recomputed } from "./repository.js";
import { nameBytes, compareEntries } from "./tree.js";
/** diffTrees compares two trees, of which one may be missing, and returns at most limit changes in the order of paths. */
export async function diffTrees(repository, base, head, limit, signal) {
    const steps = [];
    const changes = [];
    let truncated = false;
    const read = async (id, path) => {
        if (id === undefined)
            return [];
        const entries = await repository.tree(id, signal);
        steps.push(recomputed("tree", id, path === "" ? "/" : path));
        return entries;
    };
    const visit = async (before, after, path) => {
        if (before === after || truncated)
            return;
        const [left, right] = await Promise.all([read(before, path), read(after, path)]);
        for (const [old, now] of pairs(left, right)) {
            if (truncated)
                return;
            if (old?.id === now?.id && old?.mode === now?.mode)
                continue;
            const name = (path === "" ? "" : path + "/") + (old ?? now)?.name;
            if (old?.kind === "tree" || now?.kind === "tree") {
                await visit(old?.id, now?.id, name);
            }
            else if (changes.length === limit) {
                truncated = true;
            }
            else {
                const kind = old === undefined ? "added" : now === undefined ? "deleted" : "modified";
                changes.push({ kind, path: name, ...(old && { before: old }), ...(now && { after: now }) });
            }
        }
    };
    await visit(base, head, "");
    return { changes: renamed(changes), truncated, steps };
}
/** pairs merges the sorted entries of two trees: entries with the same name, unless one is a tree and the other one is not. */
function* pairs(left, right) {
    for (let i = 0, j = 0; i < left.length || j < right.length;) {
        const a = left[i], b = right[j];
        let order;
        if (a === undefined)
            order = 1;
        else if (b === undefined)
            order = -1;
        else
            order = compareEntries(nameBytes(a.name), a.kind, nameBytes(b.name), b.kind);
        if (order <= 0)
            i++;
        if (order >= 0)
            j++;
        yield [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
    }
}
/** renamed joins a deleted and an added file with the same content, those with the same name first. */
function renamed(changes) {
    const deleted = new Map();
    for (const change of changes) {
        if (change.kind === "deleted" && change.before)
            deleted.set(change.before.id, [...(deleted.get(change.before.id) ?? []), change]);
    }
    const name = (path) => path.slice(path.lastIndexOf("/") + 1);
    const gone = new Set();
    const joined = changes.map((change) => {
        const candidates = change.kind === "added" && change.after ? deleted.get(change.after.id)?.filter((one) => !gone.has(one)) : undefined;
        const source = candidates?.find((one) => name(one.path) === name(change.path)) ?? candidates?.[0];
        if (source?.before === undefined || change.after === undefined)
            return change;
        gone.add(source);
        return { kind: "renamed", path: change.path, from: source.path, before: source.before, after: change.after };
    });
    return joined.filter((change) => !gone.has(change));
}
