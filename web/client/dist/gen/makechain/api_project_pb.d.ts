import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { MessageEntry } from "./api_message_pb.js";
import type { MergeRequestOutcome } from "./merge_request_pb.js";
import type { MessageType } from "./message_pb.js";
import type { Visibility } from "./project_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_project.proto.
 */
export declare const file_makechain_api_project: GenFile;
/**
 * @generated from message makechain.GetProjectRequest
 */
export type GetProjectRequest = Message<"makechain.GetProjectRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
};
/**
 * Describes the message makechain.GetProjectRequest.
 * Use `create(GetProjectRequestSchema)` to create a new message.
 */
export declare const GetProjectRequestSchema: GenMessage<GetProjectRequest>;
/**
 * @generated from message makechain.GetProjectByNameRequest
 */
export type GetProjectByNameRequest = Message<"makechain.GetProjectByNameRequest"> & {
    /**
     * @generated from field: string name = 1;
     */
    name: string;
    /**
     * @generated from field: bytes owner_address = 2;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.GetProjectByNameRequest.
 * Use `create(GetProjectByNameRequestSchema)` to create a new message.
 */
export declare const GetProjectByNameRequestSchema: GenMessage<GetProjectByNameRequest>;
/**
 * @generated from message makechain.GetProjectResponse
 */
export type GetProjectResponse = Message<"makechain.GetProjectResponse"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: string name = 2;
     */
    name: string;
    /**
     * @generated from field: string description = 3;
     */
    description: string;
    /**
     * @generated from field: string license = 4;
     */
    license: string;
    /**
     * @generated from field: makechain.Visibility visibility = 5;
     */
    visibility: Visibility;
    /**
     * active, archived or removed.
     *
     * @generated from field: string status = 6;
     */
    status: string;
    /**
     * @generated from field: bytes fork_source = 7;
     */
    forkSource: Uint8Array;
    /**
     * @generated from field: uint32 ref_count = 8;
     */
    refCount: number;
    /**
     * @generated from field: uint32 collaborator_count = 9;
     */
    collaboratorCount: number;
    /**
     * @generated from field: uint32 commit_count = 10;
     */
    commitCount: number;
    /**
     * @generated from field: uint32 max_refs = 11;
     */
    maxRefs: number;
    /**
     * @generated from field: uint32 max_collaborators = 12;
     */
    maxCollaborators: number;
    /**
     * @generated from field: uint32 max_commits = 13;
     */
    maxCommits: number;
    /**
     * @generated from field: bytes owner_address = 14;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: uint32 merge_request_count = 15;
     */
    mergeRequestCount: number;
    /**
     * Base URLs of content stores.
     *
     * @generated from field: repeated string content_urls = 100;
     */
    contentUrls: string[];
    /**
     * The full name of the default branch; empty when it is not set.
     *
     * @generated from field: string default_branch = 101;
     */
    defaultBranch: string;
    /**
     * @generated from field: uint32 closed_merge_request_count = 102;
     */
    closedMergeRequestCount: number;
};
/**
 * Describes the message makechain.GetProjectResponse.
 * Use `create(GetProjectResponseSchema)` to create a new message.
 */
export declare const GetProjectResponseSchema: GenMessage<GetProjectResponse>;
/**
 * @generated from message makechain.SearchProjectsRequest
 */
export type SearchProjectsRequest = Message<"makechain.SearchProjectsRequest"> & {
    /**
     * @generated from field: string query = 1;
     */
    query: string;
    /**
     * @generated from field: uint32 limit = 2;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 3;
     */
    cursor: Uint8Array;
    /**
     * @generated from field: bytes owner_address = 4;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.SearchProjectsRequest.
 * Use `create(SearchProjectsRequestSchema)` to create a new message.
 */
export declare const SearchProjectsRequestSchema: GenMessage<SearchProjectsRequest>;
/**
 * @generated from message makechain.ListForksRequest
 */
export type ListForksRequest = Message<"makechain.ListForksRequest"> & {
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
 * Describes the message makechain.ListForksRequest.
 * Use `create(ListForksRequestSchema)` to create a new message.
 */
export declare const ListForksRequestSchema: GenMessage<ListForksRequest>;
/**
 * @generated from message makechain.ListProjectsRequest
 */
export type ListProjectsRequest = Message<"makechain.ListProjectsRequest"> & {
    /**
     * @generated from field: uint32 limit = 1;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 2;
     */
    cursor: Uint8Array;
    /**
     * @generated from field: bytes owner_address = 3;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.ListProjectsRequest.
 * Use `create(ListProjectsRequestSchema)` to create a new message.
 */
export declare const ListProjectsRequestSchema: GenMessage<ListProjectsRequest>;
/**
 * @generated from message makechain.ListProjectsResponse
 */
export type ListProjectsResponse = Message<"makechain.ListProjectsResponse"> & {
    /**
     * @generated from field: repeated makechain.GetProjectResponse projects = 1;
     */
    projects: GetProjectResponse[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListProjectsResponse.
 * Use `create(ListProjectsResponseSchema)` to create a new message.
 */
export declare const ListProjectsResponseSchema: GenMessage<ListProjectsResponse>;
/**
 * GetProjectActivityRequest asks for the messages about a project, newest first.
 *
 * @generated from message makechain.GetProjectActivityRequest
 */
export type GetProjectActivityRequest = Message<"makechain.GetProjectActivityRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: uint32 limit = 2;
     */
    limit: number;
    /**
     * @generated from field: repeated makechain.MessageType types = 3;
     */
    types: MessageType[];
    /**
     * next_cursor of the previous page, whose other parameters must be repeated; empty for the first page.
     *
     * @generated from field: bytes cursor = 100;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.GetProjectActivityRequest.
 * Use `create(GetProjectActivityRequestSchema)` to create a new message.
 */
export declare const GetProjectActivityRequestSchema: GenMessage<GetProjectActivityRequest>;
/**
 * @generated from message makechain.GetProjectActivityResponse
 */
export type GetProjectActivityResponse = Message<"makechain.GetProjectActivityResponse"> & {
    /**
     * @generated from field: repeated makechain.MessageEntry messages = 1;
     */
    messages: MessageEntry[];
    /**
     * The cursor of the next page; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 100;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.GetProjectActivityResponse.
 * Use `create(GetProjectActivityResponseSchema)` to create a new message.
 */
export declare const GetProjectActivityResponseSchema: GenMessage<GetProjectActivityResponse>;
/**
 * @generated from message makechain.MergeRequestSummary
 */
export type MergeRequestSummary = Message<"makechain.MergeRequestSummary"> & {
    /**
     * @generated from field: bytes request_id = 1;
     */
    requestId: Uint8Array;
    /**
     * @generated from field: bytes project_id = 2;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes requester_owner_address = 3;
     */
    requesterOwnerAddress: Uint8Array;
    /**
     * @generated from field: bytes source_project_id = 4;
     */
    sourceProjectId: Uint8Array;
    /**
     * @generated from field: bytes source_ref = 5;
     */
    sourceRef: Uint8Array;
    /**
     * @generated from field: bytes source_commit_hash = 6;
     */
    sourceCommitHash: Uint8Array;
    /**
     * @generated from field: bytes target_ref = 7;
     */
    targetRef: Uint8Array;
    /**
     * @generated from field: string title = 8;
     */
    title: string;
    /**
     * @generated from field: uint32 added_at = 9;
     */
    addedAt: number;
    /**
     * Unspecified while the request is open. The following fields but replaces are set when it is closed.
     *
     * @generated from field: makechain.MergeRequestOutcome outcome = 100;
     */
    outcome: MergeRequestOutcome;
    /**
     * @generated from field: bytes merge_commit = 101;
     */
    mergeCommit: Uint8Array;
    /**
     * @generated from field: bytes closer_owner_address = 102;
     */
    closerOwnerAddress: Uint8Array;
    /**
     * @generated from field: uint32 closed_at = 103;
     */
    closedAt: number;
    /**
     * @generated from field: uint64 closed_block = 104;
     */
    closedBlock: bigint;
    /**
     * The request that this one replaces, and the one that replaces it.
     *
     * @generated from field: bytes replaces = 105;
     */
    replaces: Uint8Array;
    /**
     * @generated from field: bytes replaced_by = 106;
     */
    replacedBy: Uint8Array;
};
/**
 * Describes the message makechain.MergeRequestSummary.
 * Use `create(MergeRequestSummarySchema)` to create a new message.
 */
export declare const MergeRequestSummarySchema: GenMessage<MergeRequestSummary>;
/**
 * @generated from message makechain.GetMergeRequestRequest
 */
export type GetMergeRequestRequest = Message<"makechain.GetMergeRequestRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes request_id = 2;
     */
    requestId: Uint8Array;
    /**
     * Returns the request also when it is closed.
     *
     * @generated from field: bool include_closed = 100;
     */
    includeClosed: boolean;
};
/**
 * Describes the message makechain.GetMergeRequestRequest.
 * Use `create(GetMergeRequestRequestSchema)` to create a new message.
 */
export declare const GetMergeRequestRequestSchema: GenMessage<GetMergeRequestRequest>;
/**
 * @generated from message makechain.GetMergeRequestResponse
 */
export type GetMergeRequestResponse = Message<"makechain.GetMergeRequestResponse"> & {
    /**
     * @generated from field: makechain.MergeRequestSummary merge_request = 1;
     */
    mergeRequest?: MergeRequestSummary | undefined;
};
/**
 * Describes the message makechain.GetMergeRequestResponse.
 * Use `create(GetMergeRequestResponseSchema)` to create a new message.
 */
export declare const GetMergeRequestResponseSchema: GenMessage<GetMergeRequestResponse>;
/**
 * @generated from message makechain.ListMergeRequestsRequest
 */
export type ListMergeRequestsRequest = Message<"makechain.ListMergeRequestsRequest"> & {
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
    /**
     * @generated from field: bytes requester_owner_address = 4;
     */
    requesterOwnerAddress: Uint8Array;
    /**
     * Lists closed requests, too, after the open ones.
     *
     * @generated from field: bool include_closed = 100;
     */
    includeClosed: boolean;
};
/**
 * Describes the message makechain.ListMergeRequestsRequest.
 * Use `create(ListMergeRequestsRequestSchema)` to create a new message.
 */
export declare const ListMergeRequestsRequestSchema: GenMessage<ListMergeRequestsRequest>;
/**
 * @generated from message makechain.ListMergeRequestsResponse
 */
export type ListMergeRequestsResponse = Message<"makechain.ListMergeRequestsResponse"> & {
    /**
     * @generated from field: repeated makechain.MergeRequestSummary merge_requests = 1;
     */
    mergeRequests: MergeRequestSummary[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListMergeRequestsResponse.
 * Use `create(ListMergeRequestsResponseSchema)` to create a new message.
 */
export declare const ListMergeRequestsResponseSchema: GenMessage<ListMergeRequestsResponse>;
/**
 * @generated from message makechain.ListMergeRequestsByRequesterRequest
 */
export type ListMergeRequestsByRequesterRequest = Message<"makechain.ListMergeRequestsByRequesterRequest"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: uint32 limit = 2;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 3;
     */
    cursor: Uint8Array;
    /**
     * Lists closed requests, too, after the open ones.
     *
     * @generated from field: bool include_closed = 100;
     */
    includeClosed: boolean;
};
/**
 * Describes the message makechain.ListMergeRequestsByRequesterRequest.
 * Use `create(ListMergeRequestsByRequesterRequestSchema)` to create a new message.
 */
export declare const ListMergeRequestsByRequesterRequestSchema: GenMessage<ListMergeRequestsByRequesterRequest>;
/**
 * @generated from message makechain.ListMergeRequestsByRequesterResponse
 */
export type ListMergeRequestsByRequesterResponse = Message<"makechain.ListMergeRequestsByRequesterResponse"> & {
    /**
     * @generated from field: repeated makechain.MergeRequestSummary merge_requests = 1;
     */
    mergeRequests: MergeRequestSummary[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListMergeRequestsByRequesterResponse.
 * Use `create(ListMergeRequestsByRequesterResponseSchema)` to create a new message.
 */
export declare const ListMergeRequestsByRequesterResponseSchema: GenMessage<ListMergeRequestsByRequesterResponse>;
