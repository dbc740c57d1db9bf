import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_proof.proto.
 */
export declare const file_makechain_api_proof: GenFile;
/**
 * @generated from message makechain.GetOperationProofRequest
 */
export type GetOperationProofRequest = Message<"makechain.GetOperationProofRequest"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
};
/**
 * Describes the message makechain.GetOperationProofRequest.
 * Use `create(GetOperationProofRequestSchema)` to create a new message.
 */
export declare const GetOperationProofRequestSchema: GenMessage<GetOperationProofRequest>;
/**
 * @generated from message makechain.GetOperationProofResponse
 */
export type GetOperationProofResponse = Message<"makechain.GetOperationProofResponse"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: bytes root = 2;
     */
    root: Uint8Array;
    /**
     * @generated from field: bytes value = 3;
     */
    value: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetOperationProofResponse.
 * Use `create(GetOperationProofResponseSchema)` to create a new message.
 */
export declare const GetOperationProofResponseSchema: GenMessage<GetOperationProofResponse>;
/**
 * @generated from message makechain.GetExclusionProofRequest
 */
export type GetExclusionProofRequest = Message<"makechain.GetExclusionProofRequest"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
};
/**
 * Describes the message makechain.GetExclusionProofRequest.
 * Use `create(GetExclusionProofRequestSchema)` to create a new message.
 */
export declare const GetExclusionProofRequestSchema: GenMessage<GetExclusionProofRequest>;
/**
 * @generated from message makechain.GetExclusionProofResponse
 */
export type GetExclusionProofResponse = Message<"makechain.GetExclusionProofResponse"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: bytes root = 2;
     */
    root: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetExclusionProofResponse.
 * Use `create(GetExclusionProofResponseSchema)` to create a new message.
 */
export declare const GetExclusionProofResponseSchema: GenMessage<GetExclusionProofResponse>;
/**
 * @generated from message makechain.VerifyOperationProofRequest
 */
export type VerifyOperationProofRequest = Message<"makechain.VerifyOperationProofRequest"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: bytes key = 2;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
    /**
     * @generated from field: bytes value = 4;
     */
    value: Uint8Array;
};
/**
 * Describes the message makechain.VerifyOperationProofRequest.
 * Use `create(VerifyOperationProofRequestSchema)` to create a new message.
 */
export declare const VerifyOperationProofRequestSchema: GenMessage<VerifyOperationProofRequest>;
/**
 * @generated from message makechain.VerifyOperationProofResponse
 */
export type VerifyOperationProofResponse = Message<"makechain.VerifyOperationProofResponse"> & {
    /**
     * @generated from field: bool valid = 1;
     */
    valid: boolean;
    /**
     * @generated from field: string error = 2;
     */
    error: string;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
};
/**
 * Describes the message makechain.VerifyOperationProofResponse.
 * Use `create(VerifyOperationProofResponseSchema)` to create a new message.
 */
export declare const VerifyOperationProofResponseSchema: GenMessage<VerifyOperationProofResponse>;
/**
 * @generated from message makechain.VerifyExclusionProofRequest
 */
export type VerifyExclusionProofRequest = Message<"makechain.VerifyExclusionProofRequest"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: bytes key = 2;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
};
/**
 * Describes the message makechain.VerifyExclusionProofRequest.
 * Use `create(VerifyExclusionProofRequestSchema)` to create a new message.
 */
export declare const VerifyExclusionProofRequestSchema: GenMessage<VerifyExclusionProofRequest>;
/**
 * @generated from message makechain.VerifyExclusionProofResponse
 */
export type VerifyExclusionProofResponse = Message<"makechain.VerifyExclusionProofResponse"> & {
    /**
     * @generated from field: bool valid = 1;
     */
    valid: boolean;
    /**
     * @generated from field: string error = 2;
     */
    error: string;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
};
/**
 * Describes the message makechain.VerifyExclusionProofResponse.
 * Use `create(VerifyExclusionProofResponseSchema)` to create a new message.
 */
export declare const VerifyExclusionProofResponseSchema: GenMessage<VerifyExclusionProofResponse>;
/**
 * @generated from message makechain.VerifyOperationProofAtBlockRequest
 */
export type VerifyOperationProofAtBlockRequest = Message<"makechain.VerifyOperationProofAtBlockRequest"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: bytes key = 2;
     */
    key: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 3;
     */
    blockNumber: bigint;
    /**
     * @generated from field: bytes value = 4;
     */
    value: Uint8Array;
};
/**
 * Describes the message makechain.VerifyOperationProofAtBlockRequest.
 * Use `create(VerifyOperationProofAtBlockRequestSchema)` to create a new message.
 */
export declare const VerifyOperationProofAtBlockRequestSchema: GenMessage<VerifyOperationProofAtBlockRequest>;
/**
 * @generated from message makechain.VerifyOperationProofAtBlockResponse
 */
export type VerifyOperationProofAtBlockResponse = Message<"makechain.VerifyOperationProofAtBlockResponse"> & {
    /**
     * @generated from field: bool valid = 1;
     */
    valid: boolean;
    /**
     * @generated from field: string error = 2;
     */
    error: string;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 4;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.VerifyOperationProofAtBlockResponse.
 * Use `create(VerifyOperationProofAtBlockResponseSchema)` to create a new message.
 */
export declare const VerifyOperationProofAtBlockResponseSchema: GenMessage<VerifyOperationProofAtBlockResponse>;
/**
 * @generated from message makechain.VerifyExclusionProofAtBlockRequest
 */
export type VerifyExclusionProofAtBlockRequest = Message<"makechain.VerifyExclusionProofAtBlockRequest"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: bytes key = 2;
     */
    key: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 3;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.VerifyExclusionProofAtBlockRequest.
 * Use `create(VerifyExclusionProofAtBlockRequestSchema)` to create a new message.
 */
export declare const VerifyExclusionProofAtBlockRequestSchema: GenMessage<VerifyExclusionProofAtBlockRequest>;
/**
 * @generated from message makechain.VerifyExclusionProofAtBlockResponse
 */
export type VerifyExclusionProofAtBlockResponse = Message<"makechain.VerifyExclusionProofAtBlockResponse"> & {
    /**
     * @generated from field: bool valid = 1;
     */
    valid: boolean;
    /**
     * @generated from field: string error = 2;
     */
    error: string;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 4;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.VerifyExclusionProofAtBlockResponse.
 * Use `create(VerifyExclusionProofAtBlockResponseSchema)` to create a new message.
 */
export declare const VerifyExclusionProofAtBlockResponseSchema: GenMessage<VerifyExclusionProofAtBlockResponse>;
/**
 * @generated from message makechain.GetCompoundProofRequest
 */
export type GetCompoundProofRequest = Message<"makechain.GetCompoundProofRequest"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
};
/**
 * Describes the message makechain.GetCompoundProofRequest.
 * Use `create(GetCompoundProofRequestSchema)` to create a new message.
 */
export declare const GetCompoundProofRequestSchema: GenMessage<GetCompoundProofRequest>;
/**
 * GetCompoundProofResponse proves a set member: its row, its tombstone and its prune marker,
 * present or absent, against one root.
 *
 * @generated from message makechain.GetCompoundProofResponse
 */
export type GetCompoundProofResponse = Message<"makechain.GetCompoundProofResponse"> & {
    /**
     * @generated from field: bytes active_proof = 1;
     */
    activeProof: Uint8Array;
    /**
     * @generated from field: bool active_key_exists = 2;
     */
    activeKeyExists: boolean;
    /**
     * @generated from field: bytes tombstone_proof = 3;
     */
    tombstoneProof: Uint8Array;
    /**
     * @generated from field: bool tombstone_exists = 4;
     */
    tombstoneExists: boolean;
    /**
     * @generated from field: bytes prune_marker_proof = 5;
     */
    pruneMarkerProof: Uint8Array;
    /**
     * @generated from field: bool prune_marker_exists = 6;
     */
    pruneMarkerExists: boolean;
    /**
     * @generated from field: bytes root = 7;
     */
    root: Uint8Array;
    /**
     * @generated from field: bytes value = 8;
     */
    value: Uint8Array;
    /**
     * @generated from field: bool active = 9;
     */
    active: boolean;
    /**
     * @generated from field: uint32 added_at = 10;
     */
    addedAt: number;
    /**
     * @generated from field: uint32 removal_ts = 11;
     */
    removalTs: number;
    /**
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetCompoundProofResponse.
 * Use `create(GetCompoundProofResponseSchema)` to create a new message.
 */
export declare const GetCompoundProofResponseSchema: GenMessage<GetCompoundProofResponse>;
/**
 * @generated from message makechain.GetStorageQuotaProofRequest
 */
export type GetStorageQuotaProofRequest = Message<"makechain.GetStorageQuotaProofRequest"> & {
    /**
     * @generated from field: uint32 as_of_unix_time = 1;
     */
    asOfUnixTime: number;
    /**
     * @generated from field: bytes owner_address = 2;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.GetStorageQuotaProofRequest.
 * Use `create(GetStorageQuotaProofRequestSchema)` to create a new message.
 */
export declare const GetStorageQuotaProofRequestSchema: GenMessage<GetStorageQuotaProofRequest>;
/**
 * @generated from message makechain.StorageGrantProofEntry
 */
export type StorageGrantProofEntry = Message<"makechain.StorageGrantProofEntry"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes value = 2;
     */
    value: Uint8Array;
    /**
     * @generated from field: bytes proof = 3;
     */
    proof: Uint8Array;
};
/**
 * Describes the message makechain.StorageGrantProofEntry.
 * Use `create(StorageGrantProofEntrySchema)` to create a new message.
 */
export declare const StorageGrantProofEntrySchema: GenMessage<StorageGrantProofEntry>;
/**
 * GetStorageQuotaProofResponse proves that an account's active grants are complete, and the limits
 * that follow from them.
 *
 * @generated from message makechain.GetStorageQuotaProofResponse
 */
export type GetStorageQuotaProofResponse = Message<"makechain.GetStorageQuotaProofResponse"> & {
    /**
     * @generated from field: uint32 as_of_unix_time = 1;
     */
    asOfUnixTime: number;
    /**
     * @generated from field: bytes root = 2;
     */
    root: Uint8Array;
    /**
     * @generated from field: bytes lower_bound_key = 3;
     */
    lowerBoundKey: Uint8Array;
    /**
     * @generated from field: bytes lower_bound_proof = 4;
     */
    lowerBoundProof: Uint8Array;
    /**
     * @generated from field: repeated makechain.StorageGrantProofEntry grants = 5;
     */
    grants: StorageGrantProofEntry[];
    /**
     * @generated from field: uint32 storage_units = 6;
     */
    storageUnits: number;
    /**
     * @generated from field: uint32 max_projects = 7;
     */
    maxProjects: number;
    /**
     * @generated from field: uint32 max_links = 8;
     */
    maxLinks: number;
    /**
     * @generated from field: uint32 max_verifications = 9;
     */
    maxVerifications: number;
    /**
     * @generated from field: uint32 max_reactions = 10;
     */
    maxReactions: number;
    /**
     * @generated from field: uint32 max_collaborators_per_project = 11;
     */
    maxCollaboratorsPerProject: number;
    /**
     * @generated from field: bytes owner_address = 12;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: bytes upper_bound_key = 13;
     */
    upperBoundKey: Uint8Array;
    /**
     * @generated from field: bytes upper_bound_proof = 14;
     */
    upperBoundProof: Uint8Array;
    /**
     * @generated from field: uint32 max_merge_requests_per_project = 15;
     */
    maxMergeRequestsPerProject: number;
    /**
     * @generated from field: uint32 max_merge_requests_per_requester = 16;
     */
    maxMergeRequestsPerRequester: number;
    /**
     * @generated from field: bytes account_value = 17;
     */
    accountValue: Uint8Array;
    /**
     * @generated from field: bytes account_proof = 18;
     */
    accountProof: Uint8Array;
    /**
     * @generated from field: bytes username_proof = 19;
     */
    usernameProof: Uint8Array;
    /**
     * @generated from field: uint32 usable_storage_units = 20;
     */
    usableStorageUnits: number;
    /**
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetStorageQuotaProofResponse.
 * Use `create(GetStorageQuotaProofResponseSchema)` to create a new message.
 */
export declare const GetStorageQuotaProofResponseSchema: GenMessage<GetStorageQuotaProofResponse>;
/**
 * @generated from message makechain.VerifyStorageQuotaProofRequest
 */
export type VerifyStorageQuotaProofRequest = Message<"makechain.VerifyStorageQuotaProofRequest"> & {
    /**
     * @generated from field: makechain.GetStorageQuotaProofResponse quota_proof = 1;
     */
    quotaProof?: GetStorageQuotaProofResponse | undefined;
};
/**
 * Describes the message makechain.VerifyStorageQuotaProofRequest.
 * Use `create(VerifyStorageQuotaProofRequestSchema)` to create a new message.
 */
export declare const VerifyStorageQuotaProofRequestSchema: GenMessage<VerifyStorageQuotaProofRequest>;
/**
 * @generated from message makechain.VerifyStorageQuotaProofResponse
 */
export type VerifyStorageQuotaProofResponse = Message<"makechain.VerifyStorageQuotaProofResponse"> & {
    /**
     * @generated from field: bool valid = 1;
     */
    valid: boolean;
    /**
     * @generated from field: string error = 2;
     */
    error: string;
    /**
     * @generated from field: bytes root = 3;
     */
    root: Uint8Array;
};
/**
 * Describes the message makechain.VerifyStorageQuotaProofResponse.
 * Use `create(VerifyStorageQuotaProofResponseSchema)` to create a new message.
 */
export declare const VerifyStorageQuotaProofResponseSchema: GenMessage<VerifyStorageQuotaProofResponse>;
/**
 * @generated from message makechain.GetRangeProofRequest
 */
export type GetRangeProofRequest = Message<"makechain.GetRangeProofRequest"> & {
    /**
     * @generated from field: bytes prefix = 1;
     */
    prefix: Uint8Array;
    /**
     * @generated from field: uint32 limit = 2;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 3;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.GetRangeProofRequest.
 * Use `create(GetRangeProofRequestSchema)` to create a new message.
 */
export declare const GetRangeProofRequestSchema: GenMessage<GetRangeProofRequest>;
/**
 * @generated from message makechain.RangeProofEntry
 */
export type RangeProofEntry = Message<"makechain.RangeProofEntry"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes value = 2;
     */
    value: Uint8Array;
    /**
     * @generated from field: bytes proof = 3;
     */
    proof: Uint8Array;
};
/**
 * Describes the message makechain.RangeProofEntry.
 * Use `create(RangeProofEntrySchema)` to create a new message.
 */
export declare const RangeProofEntrySchema: GenMessage<RangeProofEntry>;
/**
 * GetRangeProofResponse proves a page of rows and that no row is missing between, before or after them.
 *
 * @generated from message makechain.GetRangeProofResponse
 */
export type GetRangeProofResponse = Message<"makechain.GetRangeProofResponse"> & {
    /**
     * @generated from field: bytes root = 1;
     */
    root: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
    /**
     * @generated from field: repeated makechain.RangeProofEntry entries = 3;
     */
    entries: RangeProofEntry[];
    /**
     * @generated from field: bytes lower_bound_proof = 4;
     */
    lowerBoundProof: Uint8Array;
    /**
     * @generated from field: bytes upper_bound_proof = 5;
     */
    upperBoundProof: Uint8Array;
    /**
     * @generated from field: bool complete = 6;
     */
    complete: boolean;
    /**
     * @generated from field: bytes next_cursor = 7;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.GetRangeProofResponse.
 * Use `create(GetRangeProofResponseSchema)` to create a new message.
 */
export declare const GetRangeProofResponseSchema: GenMessage<GetRangeProofResponse>;
/**
 * @generated from message makechain.GetFinalizedRootRequest
 */
export type GetFinalizedRootRequest = Message<"makechain.GetFinalizedRootRequest"> & {
    /**
     * @generated from field: uint64 block_number = 1;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetFinalizedRootRequest.
 * Use `create(GetFinalizedRootRequestSchema)` to create a new message.
 */
export declare const GetFinalizedRootRequestSchema: GenMessage<GetFinalizedRootRequest>;
/**
 * GetFinalizedRootResponse has the CometBFT light block whose header certifies the root after
 * block_number.
 *
 * @generated from message makechain.GetFinalizedRootResponse
 */
export type GetFinalizedRootResponse = Message<"makechain.GetFinalizedRootResponse"> & {
    /**
     * The requested block, or the one before it when the newest block is empty and has no successor yet.
     *
     * @generated from field: uint64 block_number = 1;
     */
    blockNumber: bigint;
    /**
     * @generated from field: bytes state_root = 2;
     */
    stateRoot: Uint8Array;
    /**
     * @generated from field: bytes light_block = 3;
     */
    lightBlock: Uint8Array;
};
/**
 * Describes the message makechain.GetFinalizedRootResponse.
 * Use `create(GetFinalizedRootResponseSchema)` to create a new message.
 */
export declare const GetFinalizedRootResponseSchema: GenMessage<GetFinalizedRootResponse>;
/**
 * RangeRow is a row of a compact range proof.
 *
 * @generated from message makechain.RangeRow
 */
export type RangeRow = Message<"makechain.RangeRow"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes value = 2;
     */
    value: Uint8Array;
};
/**
 * Describes the message makechain.RangeRow.
 * Use `create(RangeRowSchema)` to create a new message.
 */
export declare const RangeRowSchema: GenMessage<RangeRow>;
/**
 * CompactRangeProof proves the rows of a range of keys, and that no row of the range is missing. The hash of the root follows
 * from the rows, the rows directly before and after the range, and the hashes of the subtrees outside of these.
 *
 * @generated from message makechain.CompactRangeProof
 */
export type CompactRangeProof = Message<"makechain.CompactRangeProof"> & {
    /**
     * @generated from field: repeated makechain.RangeRow rows = 1;
     */
    rows: RangeRow[];
    /**
     * The row directly before the range, and SHA-256 of its value; empty when there is none.
     *
     * @generated from field: bytes lower_key = 2;
     */
    lowerKey: Uint8Array;
    /**
     * @generated from field: bytes lower_value_hash = 3;
     */
    lowerValueHash: Uint8Array;
    /**
     * The row directly after the range; empty when there is none, or when the page is not the last one.
     *
     * @generated from field: bytes upper_key = 4;
     */
    upperKey: Uint8Array;
    /**
     * @generated from field: bytes upper_value_hash = 5;
     */
    upperValueHash: Uint8Array;
    /**
     * Hashes of subtrees, 32 bytes each, from left to right.
     *
     * @generated from field: bytes hashes = 6;
     */
    hashes: Uint8Array;
    /**
     * How the root is computed, in one byte each: 0 pushes the next row, 1 the next hash, 2 joins the two topmost.
     *
     * @generated from field: bytes operations = 7;
     */
    operations: Uint8Array;
};
/**
 * Describes the message makechain.CompactRangeProof.
 * Use `create(CompactRangeProofSchema)` to create a new message.
 */
export declare const CompactRangeProofSchema: GenMessage<CompactRangeProof>;
/**
 * @generated from message makechain.GetProjectProofRequest
 */
export type GetProjectProofRequest = Message<"makechain.GetProjectProofRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * next_cursor of the previous page; empty for the first page.
     *
     * @generated from field: bytes cursor = 2;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.GetProjectProofRequest.
 * Use `create(GetProjectProofRequestSchema)` to create a new message.
 */
export declare const GetProjectProofRequestSchema: GenMessage<GetProjectProofRequest>;
/**
 * GetProjectProofResponse proves the project row, all metadata, the fork parent and all refs of a project at one root. Pages
 * after the first one contain refs only.
 *
 * @generated from message makechain.GetProjectProofResponse
 */
export type GetProjectProofResponse = Message<"makechain.GetProjectProofResponse"> & {
    /**
     * @generated from field: bytes root = 1;
     */
    root: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
    /**
     * The light block whose header certifies the root (GetFinalizedRoot).
     *
     * @generated from field: bytes light_block = 3;
     */
    lightBlock: Uint8Array;
    /**
     * @generated from field: makechain.CompactRangeProof project = 4;
     */
    project?: CompactRangeProof | undefined;
    /**
     * @generated from field: makechain.CompactRangeProof metadata = 5;
     */
    metadata?: CompactRangeProof | undefined;
    /**
     * @generated from field: makechain.CompactRangeProof fork_parent = 6;
     */
    forkParent?: CompactRangeProof | undefined;
    /**
     * @generated from field: makechain.CompactRangeProof refs = 7;
     */
    refs?: CompactRangeProof | undefined;
    /**
     * The cursor of the next page, which has the same root; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 8;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.GetProjectProofResponse.
 * Use `create(GetProjectProofResponseSchema)` to create a new message.
 */
export declare const GetProjectProofResponseSchema: GenMessage<GetProjectProofResponse>;
/**
 * @generated from message makechain.ListContentRequest
 */
export type ListContentRequest = Message<"makechain.ListContentRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: uint32 limit = 2;
     */
    limit: number;
    /**
     * next_cursor of the previous page; empty for the first page.
     *
     * @generated from field: bytes cursor = 3;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.ListContentRequest.
 * Use `create(ListContentRequestSchema)` to create a new message.
 */
export declare const ListContentRequestSchema: GenMessage<ListContentRequest>;
/**
 * ListContentResponse proves the contents of a project: the digests and where they were published.
 *
 * @generated from message makechain.ListContentResponse
 */
export type ListContentResponse = Message<"makechain.ListContentResponse"> & {
    /**
     * @generated from field: bytes root = 1;
     */
    root: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
    /**
     * The light block whose header certifies the root (GetFinalizedRoot).
     *
     * @generated from field: bytes light_block = 3;
     */
    lightBlock: Uint8Array;
    /**
     * @generated from field: makechain.CompactRangeProof contents = 4;
     */
    contents?: CompactRangeProof | undefined;
    /**
     * The cursor of the next page, which has the same root; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 5;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListContentResponse.
 * Use `create(ListContentResponseSchema)` to create a new message.
 */
export declare const ListContentResponseSchema: GenMessage<ListContentResponse>;
