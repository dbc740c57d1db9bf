import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Permission } from "./collaborator_pb.js";
import type { CommitMeta } from "./commit_pb.js";
import type { RefType } from "./ref_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_git.proto.
 */
export declare const file_makechain_api_git: GenFile;
/**
 * @generated from message makechain.GetRefRequest
 */
export type GetRefRequest = Message<"makechain.GetRefRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes ref_name = 2;
     */
    refName: Uint8Array;
};
/**
 * Describes the message makechain.GetRefRequest.
 * Use `create(GetRefRequestSchema)` to create a new message.
 */
export declare const GetRefRequestSchema: GenMessage<GetRefRequest>;
/**
 * @generated from message makechain.GetRefResponse
 */
export type GetRefResponse = Message<"makechain.GetRefResponse"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes ref_name = 2;
     */
    refName: Uint8Array;
    /**
     * @generated from field: makechain.RefType ref_type = 3;
     */
    refType: RefType;
    /**
     * @generated from field: bytes hash = 4;
     */
    hash: Uint8Array;
    /**
     * @generated from field: uint64 nonce = 5;
     */
    nonce: bigint;
    /**
     * The timestamp of the message that created the ref: messages of the ref must not be earlier (P9.3).
     *
     * @generated from field: uint32 floor = 100;
     */
    floor: number;
    /**
     * For a tag: empty, or the id of the tag object that peels to hash.
     *
     * @generated from field: bytes tag_object = 101;
     */
    tagObject: Uint8Array;
};
/**
 * Describes the message makechain.GetRefResponse.
 * Use `create(GetRefResponseSchema)` to create a new message.
 */
export declare const GetRefResponseSchema: GenMessage<GetRefResponse>;
/**
 * @generated from message makechain.ListRefsRequest
 */
export type ListRefsRequest = Message<"makechain.ListRefsRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
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
 * Describes the message makechain.ListRefsRequest.
 * Use `create(ListRefsRequestSchema)` to create a new message.
 */
export declare const ListRefsRequestSchema: GenMessage<ListRefsRequest>;
/**
 * @generated from message makechain.ListRefsResponse
 */
export type ListRefsResponse = Message<"makechain.ListRefsResponse"> & {
    /**
     * @generated from field: repeated makechain.GetRefResponse refs = 1;
     */
    refs: GetRefResponse[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListRefsResponse.
 * Use `create(ListRefsResponseSchema)` to create a new message.
 */
export declare const ListRefsResponseSchema: GenMessage<ListRefsResponse>;
/**
 * GetRefLogRequest asks for the changes of a ref, newest first.
 *
 * @generated from message makechain.GetRefLogRequest
 */
export type GetRefLogRequest = Message<"makechain.GetRefLogRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes ref_name = 2;
     */
    refName: Uint8Array;
    /**
     * @generated from field: uint32 limit = 3;
     */
    limit: number;
    /**
     * next_cursor of the previous page, whose other parameters must be repeated; empty for the first page.
     *
     * @generated from field: bytes cursor = 100;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.GetRefLogRequest.
 * Use `create(GetRefLogRequestSchema)` to create a new message.
 */
export declare const GetRefLogRequestSchema: GenMessage<GetRefLogRequest>;
/**
 * @generated from message makechain.RefLogEntry
 */
export type RefLogEntry = Message<"makechain.RefLogEntry"> & {
    /**
     * @generated from field: bytes old_hash = 1;
     */
    oldHash: Uint8Array;
    /**
     * @generated from field: bytes new_hash = 2;
     */
    newHash: Uint8Array;
    /**
     * @generated from field: uint32 timestamp = 3;
     */
    timestamp: number;
    /**
     * @generated from field: uint64 block_number = 4;
     */
    blockNumber: bigint;
    /**
     * @generated from field: bool force = 5;
     */
    force: boolean;
    /**
     * @generated from field: uint64 nonce = 6;
     */
    nonce: bigint;
    /**
     * @generated from field: bytes owner_address = 7;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: bytes tag_object = 100;
     */
    tagObject: Uint8Array;
};
/**
 * Describes the message makechain.RefLogEntry.
 * Use `create(RefLogEntrySchema)` to create a new message.
 */
export declare const RefLogEntrySchema: GenMessage<RefLogEntry>;
/**
 * @generated from message makechain.GetRefLogResponse
 */
export type GetRefLogResponse = Message<"makechain.GetRefLogResponse"> & {
    /**
     * @generated from field: repeated makechain.RefLogEntry entries = 1;
     */
    entries: RefLogEntry[];
    /**
     * The cursor of the next page; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 100;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.GetRefLogResponse.
 * Use `create(GetRefLogResponseSchema)` to create a new message.
 */
export declare const GetRefLogResponseSchema: GenMessage<GetRefLogResponse>;
/**
 * @generated from message makechain.GetCommitRequest
 */
export type GetCommitRequest = Message<"makechain.GetCommitRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes commit_hash = 2;
     */
    commitHash: Uint8Array;
};
/**
 * Describes the message makechain.GetCommitRequest.
 * Use `create(GetCommitRequestSchema)` to create a new message.
 */
export declare const GetCommitRequestSchema: GenMessage<GetCommitRequest>;
/**
 * @generated from message makechain.GetCommitResponse
 */
export type GetCommitResponse = Message<"makechain.GetCommitResponse"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: makechain.CommitMeta commit = 2;
     */
    commit?: CommitMeta | undefined;
    /**
     * @generated from field: bytes content_digest = 3;
     */
    contentDigest: Uint8Array;
    /**
     * @generated from field: string url = 4;
     */
    url: string;
};
/**
 * Describes the message makechain.GetCommitResponse.
 * Use `create(GetCommitResponseSchema)` to create a new message.
 */
export declare const GetCommitResponseSchema: GenMessage<GetCommitResponse>;
/**
 * @generated from message makechain.ListCommitsRequest
 */
export type ListCommitsRequest = Message<"makechain.ListCommitsRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
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
 * Describes the message makechain.ListCommitsRequest.
 * Use `create(ListCommitsRequestSchema)` to create a new message.
 */
export declare const ListCommitsRequestSchema: GenMessage<ListCommitsRequest>;
/**
 * @generated from message makechain.ListCommitsResponse
 */
export type ListCommitsResponse = Message<"makechain.ListCommitsResponse"> & {
    /**
     * @generated from field: repeated makechain.GetCommitResponse commits = 1;
     */
    commits: GetCommitResponse[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListCommitsResponse.
 * Use `create(ListCommitsResponseSchema)` to create a new message.
 */
export declare const ListCommitsResponseSchema: GenMessage<ListCommitsResponse>;
/**
 * GetCommitAncestorsRequest asks for a commit and its ancestors by descending generation, then by hash.
 *
 * @generated from message makechain.GetCommitAncestorsRequest
 */
export type GetCommitAncestorsRequest = Message<"makechain.GetCommitAncestorsRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes commit_hash = 2;
     */
    commitHash: Uint8Array;
    /**
     * @generated from field: uint32 limit = 3;
     */
    limit: number;
    /**
     * next_cursor of the previous page, whose other parameters must be repeated; empty for the first page.
     *
     * @generated from field: bytes cursor = 100;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.GetCommitAncestorsRequest.
 * Use `create(GetCommitAncestorsRequestSchema)` to create a new message.
 */
export declare const GetCommitAncestorsRequestSchema: GenMessage<GetCommitAncestorsRequest>;
/**
 * @generated from message makechain.GetCommitAncestorsResponse
 */
export type GetCommitAncestorsResponse = Message<"makechain.GetCommitAncestorsResponse"> & {
    /**
     * @generated from field: repeated makechain.CommitMeta commits = 1;
     */
    commits: CommitMeta[];
    /**
     * The cursor of the next page; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 100;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.GetCommitAncestorsResponse.
 * Use `create(GetCommitAncestorsResponseSchema)` to create a new message.
 */
export declare const GetCommitAncestorsResponseSchema: GenMessage<GetCommitAncestorsResponse>;
/**
 * @generated from message makechain.ListCollaboratorsRequest
 */
export type ListCollaboratorsRequest = Message<"makechain.ListCollaboratorsRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
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
 * Describes the message makechain.ListCollaboratorsRequest.
 * Use `create(ListCollaboratorsRequestSchema)` to create a new message.
 */
export declare const ListCollaboratorsRequestSchema: GenMessage<ListCollaboratorsRequest>;
/**
 * @generated from message makechain.CollaboratorEntry
 */
export type CollaboratorEntry = Message<"makechain.CollaboratorEntry"> & {
    /**
     * @generated from field: makechain.Permission permission = 1;
     */
    permission: Permission;
    /**
     * @generated from field: bytes owner_address = 2;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.CollaboratorEntry.
 * Use `create(CollaboratorEntrySchema)` to create a new message.
 */
export declare const CollaboratorEntrySchema: GenMessage<CollaboratorEntry>;
/**
 * @generated from message makechain.ListCollaboratorsResponse
 */
export type ListCollaboratorsResponse = Message<"makechain.ListCollaboratorsResponse"> & {
    /**
     * @generated from field: repeated makechain.CollaboratorEntry collaborators = 1;
     */
    collaborators: CollaboratorEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListCollaboratorsResponse.
 * Use `create(ListCollaboratorsResponseSchema)` to create a new message.
 */
export declare const ListCollaboratorsResponseSchema: GenMessage<ListCollaboratorsResponse>;
