import { type Repository } from "./repository.js";
import { type Entry } from "./tree.js";
import type { Step } from "../evidence.js";
/** Change is a file that differs between two trees. A renamed file has the same content before and after. */
export interface Change {
    readonly kind: "added" | "deleted" | "modified" | "renamed";
    readonly path: string;
    /** The path before a renaming. */
    readonly from?: string;
    readonly before?: Entry;
    readonly after?: Entry;
}
export interface TreeDiff {
    readonly changes: readonly Change[];
    /** Whether there are more changes than the limit. */
    readonly truncated: boolean;
    readonly steps: readonly Step[];
}
/** diffTrees compares two trees, of which one may be missing, and returns at most limit changes in the order of paths. */
export declare function diffTrees(repository: Repository, base: string | undefined, head: string | undefined, limit: number, signal?: AbortSignal): Promise<TreeDiff>;
