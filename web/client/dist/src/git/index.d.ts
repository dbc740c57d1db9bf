export { Log, PathHint, PathLog } from "./log.js";
export { chainHash, type Commit, type GitObject, hashObject, type Ident, isObjectId, MalformedError, objectId, type ObjectType, parseCommit, parseTag, type Tag, } from "./object.js";
export { type Found, PathError, recomputed, Repository, type Resolved } from "./repository.js";
export { Sha1 } from "./sha1.js";
export { ContentError, firstOf, maxObjectBytes, type ObjectSource, ObjectStore, type StoreOptions } from "./store.js";
export { type Entry, type Kind, nameBytes, nameText, parseTree } from "./tree.js";
export { type Change, diffTrees, type TreeDiff } from "./treediff.js";
