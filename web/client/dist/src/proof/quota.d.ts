import { type GetStorageQuotaProofResponse } from "../../gen/schema.js";
/** Quota is how much storage an account has, and the limits that follow from it. */
export interface Quota {
    readonly storageUnits: number;
    /** Without a username no unit is usable. */
    readonly usableStorageUnits: number;
    readonly maxProjects: number;
    readonly maxLinks: number;
    readonly maxVerifications: number;
    readonly maxReactions: number;
    readonly maxCollaboratorsPerProject: number;
    readonly maxMergeRequestsPerProject: number;
    readonly maxMergeRequestsPerRequester: number;
}
/** verifyQuota verifies that a response has all grants of an account that are active at a time, and returns the quota that follows. */
export declare function verifyQuota(root: Uint8Array, owner: Uint8Array, asOf: number, answer: GetStorageQuotaProofResponse): Quota;
