import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { VerificationType } from "./account_pb.js";
import type { Permission } from "./collaborator_pb.js";
import type { CustodyKeyStatus, CustodySignatureType, KeyScope } from "./custody_pb.js";
import type { MergeRequestOutcome } from "./merge_request_pb.js";
import type { RefType } from "./ref_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/state.proto.
 */
export declare const file_makechain_state: GenFile;
/**
 * TombstoneRow (03) records the removal of the row in its key.
 *
 * @generated from message makechain.TombstoneRow
 */
export type TombstoneRow = Message<"makechain.TombstoneRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * The requester of a merge request; empty for other rows. No other row that can have a tombstone has a field 15, so that
     * all can be decoded as this one for their timestamps.
     *
     * @generated from field: bytes requester_owner_address = 15;
     */
    requesterOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.TombstoneRow.
 * Use `create(TombstoneRowSchema)` to create a new message.
 */
export declare const TombstoneRowSchema: GenMessage<TombstoneRow>;
/**
 * AccountRow (04).
 *
 * @generated from message makechain.AccountRow
 */
export type AccountRow = Message<"makechain.AccountRow"> & {
    /**
     * @generated from field: uint64 custody_nonce = 1;
     */
    custodyNonce: bigint;
    /**
     * @generated from field: string username = 2;
     */
    username: string;
    /**
     * Kept when the username is released.
     *
     * @generated from field: uint32 username_last_set_at = 3;
     */
    usernameLastSetAt: number;
    /**
     * Sum of the stored grants, at most the largest uint32. Valid until next_expiry.
     *
     * @generated from field: uint32 storage_units = 4;
     */
    storageUnits: number;
    /**
     * The earliest expires_at of the stored grants; 0 without grants.
     *
     * @generated from field: uint32 next_expiry = 5;
     */
    nextExpiry: number;
    /**
     * Projects that are not removed.
     *
     * @generated from field: uint32 project_count = 6;
     */
    projectCount: number;
    /**
     * Delegated keys.
     *
     * @generated from field: uint32 key_count = 7;
     */
    keyCount: number;
    /**
     * Open merge requests of this requester, over all projects.
     *
     * @generated from field: uint32 merge_request_count = 8;
     */
    mergeRequestCount: number;
    /**
     * Sum of all grants ever, at most the largest uint32.
     *
     * @generated from field: uint32 units_granted = 9;
     */
    unitsGranted: number;
    /**
     * Projects ever created, forks and removed projects included.
     *
     * @generated from field: uint64 projects_created = 10;
     */
    projectsCreated: bigint;
    /**
     * Custody keys, active and revoked.
     *
     * @generated from field: uint32 custody_key_count = 12;
     */
    custodyKeyCount: number;
    /**
     * Tombstones of merge requests of this requester, over all projects.
     *
     * @generated from field: uint32 merge_request_tombstone_count = 13;
     */
    mergeRequestTombstoneCount: number;
    /**
     * Stored grants.
     *
     * @generated from field: uint32 grant_count = 14;
     */
    grantCount: number;
};
/**
 * Describes the message makechain.AccountRow.
 * Use `create(AccountRowSchema)` to create a new message.
 */
export declare const AccountRowSchema: GenMessage<AccountRow>;
/**
 * AccountMetadataRow (05) is one profile field.
 *
 * @generated from message makechain.AccountMetadataRow
 */
export type AccountMetadataRow = Message<"makechain.AccountMetadataRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * @generated from field: string value = 2;
     */
    value: string;
};
/**
 * Describes the message makechain.AccountMetadataRow.
 * Use `create(AccountMetadataRowSchema)` to create a new message.
 */
export declare const AccountMetadataRowSchema: GenMessage<AccountMetadataRow>;
/**
 * DelegatedKeyRow (06, family 0).
 *
 * @generated from message makechain.DelegatedKeyRow
 */
export type DelegatedKeyRow = Message<"makechain.DelegatedKeyRow"> & {
    /**
     * @generated from field: makechain.KeyScope scope = 1;
     */
    scope: KeyScope;
    /**
     * @generated from field: repeated bytes allowed_projects = 2;
     */
    allowedProjects: Uint8Array[];
    /**
     * @generated from field: uint32 added_at = 3;
     */
    addedAt: number;
    /**
     * @generated from field: bytes request_owner_address = 4;
     */
    requestOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.DelegatedKeyRow.
 * Use `create(DelegatedKeyRowSchema)` to create a new message.
 */
export declare const DelegatedKeyRowSchema: GenMessage<DelegatedKeyRow>;
/**
 * CustodyKeyRow (06, family 1). A revoked row is kept permanently.
 *
 * @generated from message makechain.CustodyKeyRow
 */
export type CustodyKeyRow = Message<"makechain.CustodyKeyRow"> & {
    /**
     * @generated from field: makechain.CustodySignatureType signature_type = 1;
     */
    signatureType: CustodySignatureType;
    /**
     * @generated from field: bytes public_key = 2;
     */
    publicKey: Uint8Array;
    /**
     * @generated from field: bool admin = 3;
     */
    admin: boolean;
    /**
     * @generated from field: uint64 expires_at = 4;
     */
    expiresAt: bigint;
    /**
     * @generated from field: uint32 added_at = 5;
     */
    addedAt: number;
    /**
     * @generated from field: uint32 revoked_at = 6;
     */
    revokedAt: number;
    /**
     * @generated from field: makechain.CustodyKeyStatus status = 7;
     */
    status: CustodyKeyStatus;
};
/**
 * Describes the message makechain.CustodyKeyRow.
 * Use `create(CustodyKeyRowSchema)` to create a new message.
 */
export declare const CustodyKeyRowSchema: GenMessage<CustodyKeyRow>;
/**
 * KeyOwnerRow (07) maps a delegated key to its account.
 *
 * @generated from message makechain.KeyOwnerRow
 */
export type KeyOwnerRow = Message<"makechain.KeyOwnerRow"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.KeyOwnerRow.
 * Use `create(KeyOwnerRowSchema)` to create a new message.
 */
export declare const KeyOwnerRowSchema: GenMessage<KeyOwnerRow>;
/**
 * UsernameRow (08) maps a username to its account.
 *
 * @generated from message makechain.UsernameRow
 */
export type UsernameRow = Message<"makechain.UsernameRow"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.UsernameRow.
 * Use `create(UsernameRowSchema)` to create a new message.
 */
export declare const UsernameRowSchema: GenMessage<UsernameRow>;
/**
 * VerificationRow (09).
 *
 * @generated from message makechain.VerificationRow
 */
export type VerificationRow = Message<"makechain.VerificationRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * @generated from field: makechain.VerificationType verification_type = 2;
     */
    verificationType: VerificationType;
    /**
     * @generated from field: bytes chain_id = 3;
     */
    chainId: Uint8Array;
};
/**
 * Describes the message makechain.VerificationRow.
 * Use `create(VerificationRowSchema)` to create a new message.
 */
export declare const VerificationRowSchema: GenMessage<VerificationRow>;
/**
 * ProjectRow (0A). Name, description, license and visibility are metadata rows.
 *
 * @generated from message makechain.ProjectRow
 */
export type ProjectRow = Message<"makechain.ProjectRow"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: makechain.ProjectStatus status = 2;
     */
    status: ProjectStatus;
    /**
     * @generated from field: uint32 created_at = 3;
     */
    createdAt: number;
    /**
     * Project this one was forked from, empty for an original.
     *
     * @generated from field: bytes fork_source = 4;
     */
    forkSource: Uint8Array;
    /**
     * @generated from field: uint32 ref_count = 5;
     */
    refCount: number;
    /**
     * @generated from field: uint32 ref_tombstone_count = 6;
     */
    refTombstoneCount: number;
    /**
     * @generated from field: uint32 commit_count = 7;
     */
    commitCount: number;
    /**
     * @generated from field: uint32 collaborator_count = 8;
     */
    collaboratorCount: number;
    /**
     * @generated from field: uint32 collaborator_tombstone_count = 9;
     */
    collaboratorTombstoneCount: number;
    /**
     * @generated from field: uint32 merge_request_count = 10;
     */
    mergeRequestCount: number;
    /**
     * @generated from field: uint32 merge_request_tombstone_count = 11;
     */
    mergeRequestTombstoneCount: number;
    /**
     * Number of commits above which the next bundle prunes unreachable ones; 0 means the limit.
     *
     * @generated from field: uint32 commit_prune_at = 12;
     */
    commitPruneAt: number;
    /**
     * Latest timestamp of a bundle of which a commit was pruned.
     *
     * @generated from field: uint32 pruned_bundle_timestamp = 13;
     */
    prunedBundleTimestamp: number;
    /**
     * @generated from field: uint32 content_count = 14;
     */
    contentCount: number;
    /**
     * All rows of the removed project except this one and its fork parent are deleted.
     *
     * @generated from field: bool swept = 15;
     */
    swept: boolean;
    /**
     * Prune markers of collaborators.
     *
     * @generated from field: uint32 collaborator_marker_count = 17;
     */
    collaboratorMarkerCount: number;
    /**
     * @generated from field: uint32 closed_merge_request_count = 18;
     */
    closedMergeRequestCount: number;
};
/**
 * Describes the message makechain.ProjectRow.
 * Use `create(ProjectRowSchema)` to create a new message.
 */
export declare const ProjectRowSchema: GenMessage<ProjectRow>;
/**
 * ProjectMetadataRow (0B) is one field of a project. Visibility is "public" or "private".
 *
 * @generated from message makechain.ProjectMetadataRow
 */
export type ProjectMetadataRow = Message<"makechain.ProjectMetadataRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * @generated from field: string value = 2;
     */
    value: string;
};
/**
 * Describes the message makechain.ProjectMetadataRow.
 * Use `create(ProjectMetadataRowSchema)` to create a new message.
 */
export declare const ProjectMetadataRowSchema: GenMessage<ProjectMetadataRow>;
/**
 * ProjectNameRow (0C) maps an owner's project name to the project.
 *
 * @generated from message makechain.ProjectNameRow
 */
export type ProjectNameRow = Message<"makechain.ProjectNameRow"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
};
/**
 * Describes the message makechain.ProjectNameRow.
 * Use `create(ProjectNameRowSchema)` to create a new message.
 */
export declare const ProjectNameRowSchema: GenMessage<ProjectNameRow>;
/**
 * RefRow (0D).
 *
 * @generated from message makechain.RefRow
 */
export type RefRow = Message<"makechain.RefRow"> & {
    /**
     * Latest timestamp of a message since the ref was created.
     *
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * @generated from field: makechain.RefType ref_type = 2;
     */
    refType: RefType;
    /**
     * @generated from field: bytes hash = 3;
     */
    hash: Uint8Array;
    /**
     * @generated from field: uint64 nonce = 4;
     */
    nonce: bigint;
    /**
     * The timestamp of the message that created the ref; later messages must not be earlier.
     *
     * @generated from field: uint32 floor = 5;
     */
    floor: number;
    /**
     * Empty, or the id of the tag object that peels to hash.
     *
     * @generated from field: bytes tag_object = 6;
     */
    tagObject: Uint8Array;
};
/**
 * Describes the message makechain.RefRow.
 * Use `create(RefRowSchema)` to create a new message.
 */
export declare const RefRowSchema: GenMessage<RefRow>;
/**
 * CommitRow (0E). Fields from 20 up make ancestry queries fast.
 *
 * @generated from message makechain.CommitRow
 */
export type CommitRow = Message<"makechain.CommitRow"> & {
    /**
     * @generated from field: repeated bytes parents = 1;
     */
    parents: Uint8Array[];
    /**
     * @generated from field: bytes tree_root = 2;
     */
    treeRoot: Uint8Array;
    /**
     * @generated from field: uint32 author_timestamp = 3;
     */
    authorTimestamp: number;
    /**
     * @generated from field: string title = 4;
     */
    title: string;
    /**
     * @generated from field: bytes message_hash = 5;
     */
    messageHash: Uint8Array;
    /**
     * @generated from field: bytes author_address = 6;
     */
    authorAddress: Uint8Array;
    /**
     * Empty, or the digest of the content row (1F) that was written with it.
     *
     * @generated from field: bytes content_digest = 7;
     */
    contentDigest: Uint8Array;
    /**
     * The block that added it.
     *
     * @generated from field: uint64 block_number = 9;
     */
    blockNumber: bigint;
    /**
     * Latest timestamp of a bundle that contains it.
     *
     * @generated from field: uint32 bundle_timestamp = 10;
     */
    bundleTimestamp: number;
    /**
     * @generated from field: string author_name = 11;
     */
    authorName: string;
    /**
     * One more than the highest generation among its parents; 1 for a root.
     *
     * @generated from field: uint32 generation = 20;
     */
    generation: number;
    /**
     * Steps to the end of the first-parent chain; 0 for a root.
     *
     * @generated from field: uint32 depth = 21;
     */
    depth: number;
    /**
     * An ancestor on the first-parent chain, chosen so that any other is found in logarithmic steps, and its depth.
     *
     * @generated from field: bytes jump = 22;
     */
    jump: Uint8Array;
    /**
     * @generated from field: uint32 jump_depth = 23;
     */
    jumpDepth: number;
};
/**
 * Describes the message makechain.CommitRow.
 * Use `create(CommitRowSchema)` to create a new message.
 */
export declare const CommitRowSchema: GenMessage<CommitRow>;
/**
 * CollaboratorRow (0F).
 *
 * @generated from message makechain.CollaboratorRow
 */
export type CollaboratorRow = Message<"makechain.CollaboratorRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * @generated from field: makechain.Permission permission = 2;
     */
    permission: Permission;
};
/**
 * Describes the message makechain.CollaboratorRow.
 * Use `create(CollaboratorRowSchema)` to create a new message.
 */
export declare const CollaboratorRowSchema: GenMessage<CollaboratorRow>;
/**
 * LinkRow (10, 11) is stored under its source and under its target.
 *
 * @generated from message makechain.LinkRow
 */
export type LinkRow = Message<"makechain.LinkRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
};
/**
 * Describes the message makechain.LinkRow.
 * Use `create(LinkRowSchema)` to create a new message.
 */
export declare const LinkRowSchema: GenMessage<LinkRow>;
/**
 * ReactionRow (12, 13) is stored under its source and under its target.
 *
 * @generated from message makechain.ReactionRow
 */
export type ReactionRow = Message<"makechain.ReactionRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
};
/**
 * Describes the message makechain.ReactionRow.
 * Use `create(ReactionRowSchema)` to create a new message.
 */
export declare const ReactionRowSchema: GenMessage<ReactionRow>;
/**
 * CounterRow (14).
 *
 * @generated from message makechain.CounterRow
 */
export type CounterRow = Message<"makechain.CounterRow"> & {
    /**
     * @generated from field: uint32 count = 1;
     */
    count: number;
};
/**
 * Describes the message makechain.CounterRow.
 * Use `create(CounterRowSchema)` to create a new message.
 */
export declare const CounterRowSchema: GenMessage<CounterRow>;
/**
 * PruneMarkerRow (15) records that the row in its key was pruned to keep a quota.
 *
 * @generated from message makechain.PruneMarkerRow
 */
export type PruneMarkerRow = Message<"makechain.PruneMarkerRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
};
/**
 * Describes the message makechain.PruneMarkerRow.
 * Use `create(PruneMarkerRowSchema)` to create a new message.
 */
export declare const PruneMarkerRowSchema: GenMessage<PruneMarkerRow>;
/**
 * StorageGrantRow (16). Its expiry is in its key.
 *
 * @generated from message makechain.StorageGrantRow
 */
export type StorageGrantRow = Message<"makechain.StorageGrantRow"> & {
    /**
     * @generated from field: uint32 units = 1;
     */
    units: number;
    /**
     * @generated from field: bytes actor = 2;
     */
    actor: Uint8Array;
};
/**
 * Describes the message makechain.StorageGrantRow.
 * Use `create(StorageGrantRowSchema)` to create a new message.
 */
export declare const StorageGrantRowSchema: GenMessage<StorageGrantRow>;
/**
 * ClaimRow (17) records that a claim was used.
 *
 * @generated from message makechain.ClaimRow
 */
export type ClaimRow = Message<"makechain.ClaimRow"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.ClaimRow.
 * Use `create(ClaimRowSchema)` to create a new message.
 */
export declare const ClaimRowSchema: GenMessage<ClaimRow>;
/**
 * ForkParentRow (1A) is kept permanently, even when either project is removed.
 *
 * @generated from message makechain.ForkParentRow
 */
export type ForkParentRow = Message<"makechain.ForkParentRow"> & {
    /**
     * @generated from field: bytes source_project_id = 1;
     */
    sourceProjectId: Uint8Array;
    /**
     * @generated from field: bytes source_commit_hash = 2;
     */
    sourceCommitHash: Uint8Array;
};
/**
 * Describes the message makechain.ForkParentRow.
 * Use `create(ForkParentRowSchema)` to create a new message.
 */
export declare const ForkParentRowSchema: GenMessage<ForkParentRow>;
/**
 * MergeRequestRow (1B).
 *
 * @generated from message makechain.MergeRequestRow
 */
export type MergeRequestRow = Message<"makechain.MergeRequestRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
    /**
     * @generated from field: bytes requester_owner_address = 2;
     */
    requesterOwnerAddress: Uint8Array;
    /**
     * @generated from field: bytes source_project_id = 3;
     */
    sourceProjectId: Uint8Array;
    /**
     * @generated from field: bytes source_ref = 4;
     */
    sourceRef: Uint8Array;
    /**
     * @generated from field: bytes source_commit_hash = 5;
     */
    sourceCommitHash: Uint8Array;
    /**
     * @generated from field: bytes target_ref = 6;
     */
    targetRef: Uint8Array;
    /**
     * @generated from field: string title = 7;
     */
    title: string;
    /**
     * Empty, or the id of the request that this one replaces.
     *
     * @generated from field: bytes replaces = 8;
     */
    replaces: Uint8Array;
};
/**
 * Describes the message makechain.MergeRequestRow.
 * Use `create(MergeRequestRowSchema)` to create a new message.
 */
export declare const MergeRequestRowSchema: GenMessage<MergeRequestRow>;
/**
 * ClosedMergeRequestRow (1E) is a closed merge request. It is kept for the newest of a project.
 *
 * @generated from message makechain.ClosedMergeRequestRow
 */
export type ClosedMergeRequestRow = Message<"makechain.ClosedMergeRequestRow"> & {
    /**
     * The block that closed it.
     *
     * @generated from field: uint64 block_number = 1;
     */
    blockNumber: bigint;
    /**
     * The timestamps of the messages that opened and closed it.
     *
     * @generated from field: uint32 added_at = 2;
     */
    addedAt: number;
    /**
     * @generated from field: uint32 closed_at = 3;
     */
    closedAt: number;
    /**
     * @generated from field: bytes requester_owner_address = 4;
     */
    requesterOwnerAddress: Uint8Array;
    /**
     * @generated from field: bytes source_project_id = 5;
     */
    sourceProjectId: Uint8Array;
    /**
     * @generated from field: bytes source_ref = 6;
     */
    sourceRef: Uint8Array;
    /**
     * @generated from field: bytes source_commit_hash = 7;
     */
    sourceCommitHash: Uint8Array;
    /**
     * @generated from field: bytes target_ref = 8;
     */
    targetRef: Uint8Array;
    /**
     * @generated from field: string title = 9;
     */
    title: string;
    /**
     * @generated from field: bytes replaces = 10;
     */
    replaces: Uint8Array;
    /**
     * @generated from field: makechain.MergeRequestOutcome outcome = 11;
     */
    outcome: MergeRequestOutcome;
    /**
     * For MERGED: the commit of the target that contains the change.
     *
     * @generated from field: bytes merge_commit = 12;
     */
    mergeCommit: Uint8Array;
    /**
     * The account that closed it.
     *
     * @generated from field: bytes closer_owner_address = 13;
     */
    closerOwnerAddress: Uint8Array;
    /**
     * For SUPERSEDED: the request that replaces it.
     *
     * @generated from field: bytes replaced_by = 14;
     */
    replacedBy: Uint8Array;
};
/**
 * Describes the message makechain.ClosedMergeRequestRow.
 * Use `create(ClosedMergeRequestRowSchema)` to create a new message.
 */
export declare const ClosedMergeRequestRowSchema: GenMessage<ClosedMergeRequestRow>;
/**
 * MergeRequestByRequesterRow (1C).
 *
 * @generated from message makechain.MergeRequestByRequesterRow
 */
export type MergeRequestByRequesterRow = Message<"makechain.MergeRequestByRequesterRow"> & {
    /**
     * @generated from field: uint32 timestamp = 1;
     */
    timestamp: number;
};
/**
 * Describes the message makechain.MergeRequestByRequesterRow.
 * Use `create(MergeRequestByRequesterRowSchema)` to create a new message.
 */
export declare const MergeRequestByRequesterRowSchema: GenMessage<MergeRequestByRequesterRow>;
/**
 * ValidatorsRow (1D) has the validator set, from its first change on. Before that the genesis validators apply.
 *
 * @generated from message makechain.ValidatorsRow
 */
export type ValidatorsRow = Message<"makechain.ValidatorsRow"> & {
    /**
     * sequence counts the changes since genesis.
     *
     * @generated from field: uint64 sequence = 1;
     */
    sequence: bigint;
    /**
     * validators are ordered by public key, without duplicates.
     *
     * @generated from field: repeated makechain.ValidatorEntry validators = 2;
     */
    validators: ValidatorEntry[];
};
/**
 * Describes the message makechain.ValidatorsRow.
 * Use `create(ValidatorsRowSchema)` to create a new message.
 */
export declare const ValidatorsRowSchema: GenMessage<ValidatorsRow>;
/**
 * ValidatorEntry is one validator and its voting power, which is at least 1.
 *
 * @generated from message makechain.ValidatorEntry
 */
export type ValidatorEntry = Message<"makechain.ValidatorEntry"> & {
    /**
     * @generated from field: bytes public_key = 1;
     */
    publicKey: Uint8Array;
    /**
     * @generated from field: uint64 power = 2;
     */
    power: bigint;
};
/**
 * Describes the message makechain.ValidatorEntry.
 * Use `create(ValidatorEntrySchema)` to create a new message.
 */
export declare const ValidatorEntrySchema: GenMessage<ValidatorEntry>;
/**
 * ContentRow (1F) is where content with the digest in its key was published. It is kept for the newest digests of a project.
 *
 * @generated from message makechain.ContentRow
 */
export type ContentRow = Message<"makechain.ContentRow"> & {
    /**
     * @generated from field: string url = 1;
     */
    url: string;
    /**
     * The block that added it.
     *
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.ContentRow.
 * Use `create(ContentRowSchema)` to create a new message.
 */
export declare const ContentRowSchema: GenMessage<ContentRow>;
/**
 * SettlementRow (20) has the settlement, from its first change on. Before that the settlement of the genesis applies.
 *
 * @generated from message makechain.SettlementRow
 */
export type SettlementRow = Message<"makechain.SettlementRow"> & {
    /**
     * sequence counts the changes since genesis.
     *
     * @generated from field: uint64 sequence = 1;
     */
    sequence: bigint;
    /**
     * chain_id is the id of the EVM chain with the contract.
     *
     * @generated from field: uint64 chain_id = 2;
     */
    chainId: bigint;
    /**
     * contract has 20 bytes.
     *
     * @generated from field: bytes contract = 3;
     */
    contract: Uint8Array;
    /**
     * threshold is how many attesters must sign a claim.
     *
     * @generated from field: uint32 threshold = 4;
     */
    threshold: number;
    /**
     * @generated from field: repeated makechain.SettlementAttester attesters = 5;
     */
    attesters: SettlementAttester[];
};
/**
 * Describes the message makechain.SettlementRow.
 * Use `create(SettlementRowSchema)` to create a new message.
 */
export declare const SettlementRowSchema: GenMessage<SettlementRow>;
/**
 * SettlementAttester is a key that attests payments, and the base URL of its service, which may be empty.
 *
 * @generated from message makechain.SettlementAttester
 */
export type SettlementAttester = Message<"makechain.SettlementAttester"> & {
    /**
     * @generated from field: bytes public_key = 1;
     */
    publicKey: Uint8Array;
    /**
     * @generated from field: string url = 2;
     */
    url: string;
};
/**
 * Describes the message makechain.SettlementAttester.
 * Use `create(SettlementAttesterSchema)` to create a new message.
 */
export declare const SettlementAttesterSchema: GenMessage<SettlementAttester>;
/**
 * RulesRow (21) has the latest activation of a version of the rules. Before the first one the version of the genesis applies.
 *
 * @generated from message makechain.RulesRow
 */
export type RulesRow = Message<"makechain.RulesRow"> & {
    /**
     * sequence counts the changes since genesis.
     *
     * @generated from field: uint64 sequence = 1;
     */
    sequence: bigint;
    /**
     * version applies from the block of height on, and previous_version before it.
     *
     * @generated from field: uint64 version = 2;
     */
    version: bigint;
    /**
     * @generated from field: uint64 height = 3;
     */
    height: bigint;
    /**
     * @generated from field: uint64 previous_version = 4;
     */
    previousVersion: bigint;
};
/**
 * Describes the message makechain.RulesRow.
 * Use `create(RulesRowSchema)` to create a new message.
 */
export declare const RulesRowSchema: GenMessage<RulesRow>;
/**
 * @generated from enum makechain.ProjectStatus
 */
export declare enum ProjectStatus {
    /**
     * @generated from enum value: PROJECT_STATUS_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * @generated from enum value: PROJECT_STATUS_ACTIVE = 1;
     */
    ACTIVE = 1,
    /**
     * @generated from enum value: PROJECT_STATUS_ARCHIVED = 2;
     */
    ARCHIVED = 2,
    /**
     * @generated from enum value: PROJECT_STATUS_REMOVED = 3;
     */
    REMOVED = 3
}
/**
 * Describes the enum makechain.ProjectStatus.
 */
export declare const ProjectStatusSchema: GenEnum<ProjectStatus>;
