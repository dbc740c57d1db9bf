// makechain/git: git objects of projects, each verified by recomputing its id, from a commit that the chain proves down to every file.
export { Log, PathHint, PathLog } from "./log.js";
export { chainHash, hashObject, isObjectId, MalformedError, objectId, parseCommit, parseTag, } from "./object.js";
export { PathError, recomputed, Repository } from "./repository.js";
export { Sha1 } from "./sha1.js";
export { ContentError, firstOf, maxObjectBytes, ObjectStore } from "./store.js";
export { nameBytes, nameText, parseTree } from "./tree.js";
export { diffTrees } from "./treediff.js";
