import type { GenFile, GenService } from "@bufbuild/protobuf/codegenv2";
import type { GetAccountActivityRequestSchema, GetAccountActivityResponseSchema, GetAccountByKeyRequestSchema, GetAccountRequestSchema, GetAccountResponseSchema, GetCustodyKeyRequestSchema, GetCustodyKeyResponseSchema, GetKeyRequestSchema, GetKeyResponseSchema, ListAccountsRequestSchema, ListAccountsResponseSchema, ListCustodyKeysRequestSchema, ListCustodyKeysResponseSchema, ListKeysRequestSchema, ListKeysResponseSchema, ListLinksByTargetRequestSchema, ListLinksByTargetResponseSchema, ListLinksRequestSchema, ListLinksResponseSchema, ListReactionsByTargetRequestSchema, ListReactionsByTargetResponseSchema, ListReactionsRequestSchema, ListReactionsResponseSchema, ListVerificationsRequestSchema, ListVerificationsResponseSchema, SearchAccountsRequestSchema } from "./api_account_pb.js";
import type { GetCommitAncestorsRequestSchema, GetCommitAncestorsResponseSchema, GetCommitRequestSchema, GetCommitResponseSchema, GetRefLogRequestSchema, GetRefLogResponseSchema, GetRefRequestSchema, GetRefResponseSchema, ListCollaboratorsRequestSchema, ListCollaboratorsResponseSchema, ListCommitsRequestSchema, ListCommitsResponseSchema, ListRefsRequestSchema, ListRefsResponseSchema } from "./api_git_pb.js";
import type { GetBlockRequestSchema, GetBlockResponseSchema, GetMessageInclusionProofRequestSchema, GetMessageInclusionProofResponseSchema, GetMessageRequestSchema, GetMessageResponseSchema, GetMessageStatusRequestSchema, GetMessageStatusResponseSchema, ListBlocksRequestSchema, ListBlocksResponseSchema, ListMessagesRequestSchema, ListMessagesResponseSchema, SubscribeBlocksRequestSchema, SubscribeRequestSchema } from "./api_message_pb.js";
import type { GetChainStatsRequestSchema, GetChainStatsResponseSchema, GetHealthRequestSchema, GetHealthResponseSchema, GetMempoolInfoRequestSchema, GetMempoolInfoResponseSchema, GetNodeStatusRequestSchema, GetNodeStatusResponseSchema, GetSnapshotInfoRequestSchema, GetSnapshotInfoResponseSchema } from "./api_node_pb.js";
import type { GetMergeRequestRequestSchema, GetMergeRequestResponseSchema, GetProjectActivityRequestSchema, GetProjectActivityResponseSchema, GetProjectByNameRequestSchema, GetProjectRequestSchema, GetProjectResponseSchema, ListForksRequestSchema, ListMergeRequestsByRequesterRequestSchema, ListMergeRequestsByRequesterResponseSchema, ListMergeRequestsRequestSchema, ListMergeRequestsResponseSchema, ListProjectsRequestSchema, ListProjectsResponseSchema, SearchProjectsRequestSchema } from "./api_project_pb.js";
import type { GetCompoundProofRequestSchema, GetCompoundProofResponseSchema, GetExclusionProofRequestSchema, GetExclusionProofResponseSchema, GetFinalizedRootRequestSchema, GetFinalizedRootResponseSchema, GetOperationProofRequestSchema, GetOperationProofResponseSchema, GetProjectProofRequestSchema, GetProjectProofResponseSchema, GetRangeProofRequestSchema, GetRangeProofResponseSchema, GetStorageQuotaProofRequestSchema, GetStorageQuotaProofResponseSchema, ListContentRequestSchema, ListContentResponseSchema, VerifyExclusionProofAtBlockRequestSchema, VerifyExclusionProofAtBlockResponseSchema, VerifyExclusionProofRequestSchema, VerifyExclusionProofResponseSchema, VerifyOperationProofAtBlockRequestSchema, VerifyOperationProofAtBlockResponseSchema, VerifyOperationProofRequestSchema, VerifyOperationProofResponseSchema, VerifyStorageQuotaProofRequestSchema, VerifyStorageQuotaProofResponseSchema } from "./api_proof_pb.js";
import type { BatchSubmitRequestSchema, BatchSubmitResponseSchema, DryRunMessageRequestSchema, DryRunMessageResponseSchema, SubmitMessageRequestSchema, SubmitMessageResponseSchema } from "./api_write_pb.js";
import type { MessageSchema } from "./message_pb.js";
/**
 * Describes the file makechain/service.proto.
 */
export declare const file_makechain_service: GenFile;
/**
 * MakechainService reads and writes the ledger. Lists are paged by opaque cursors, at most 200 items
 * a page; a page may be short, and only an empty next_cursor ends a list. A read uses the state of one
 * committed block.
 *
 * Write.
 *
 * @generated from service makechain.MakechainService
 */
export declare const MakechainService: GenService<{
    /**
     * Verifies and validates one message and adds it to the mempool.
     *
     * @generated from rpc makechain.MakechainService.SubmitMessage
     */
    submitMessage: {
        methodKind: "unary";
        input: typeof SubmitMessageRequestSchema;
        output: typeof SubmitMessageResponseSchema;
    };
    /**
     * Submits 1 to 100 messages in order; a later one may depend on an earlier one.
     *
     * @generated from rpc makechain.MakechainService.BatchSubmitMessages
     */
    batchSubmitMessages: {
        methodKind: "unary";
        input: typeof BatchSubmitRequestSchema;
        output: typeof BatchSubmitResponseSchema;
    };
    /**
     * Returns what SubmitMessage would return, without any effect.
     *
     * @generated from rpc makechain.MakechainService.DryRunMessage
     */
    dryRunMessage: {
        methodKind: "unary";
        input: typeof DryRunMessageRequestSchema;
        output: typeof DryRunMessageResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetProject
     */
    getProject: {
        methodKind: "unary";
        input: typeof GetProjectRequestSchema;
        output: typeof GetProjectResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetProjectByName
     */
    getProjectByName: {
        methodKind: "unary";
        input: typeof GetProjectByNameRequestSchema;
        output: typeof GetProjectResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.SearchProjects
     */
    searchProjects: {
        methodKind: "unary";
        input: typeof SearchProjectsRequestSchema;
        output: typeof ListProjectsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListProjects
     */
    listProjects: {
        methodKind: "unary";
        input: typeof ListProjectsRequestSchema;
        output: typeof ListProjectsResponseSchema;
    };
    /**
     * Lists the forks of a project that are not removed, by id.
     *
     * @generated from rpc makechain.MakechainService.ListForks
     */
    listForks: {
        methodKind: "unary";
        input: typeof ListForksRequestSchema;
        output: typeof ListProjectsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetProjectActivity
     */
    getProjectActivity: {
        methodKind: "unary";
        input: typeof GetProjectActivityRequestSchema;
        output: typeof GetProjectActivityResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetMergeRequest
     */
    getMergeRequest: {
        methodKind: "unary";
        input: typeof GetMergeRequestRequestSchema;
        output: typeof GetMergeRequestResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListMergeRequests
     */
    listMergeRequests: {
        methodKind: "unary";
        input: typeof ListMergeRequestsRequestSchema;
        output: typeof ListMergeRequestsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListMergeRequestsByRequester
     */
    listMergeRequestsByRequester: {
        methodKind: "unary";
        input: typeof ListMergeRequestsByRequesterRequestSchema;
        output: typeof ListMergeRequestsByRequesterResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetRef
     */
    getRef: {
        methodKind: "unary";
        input: typeof GetRefRequestSchema;
        output: typeof GetRefResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListRefs
     */
    listRefs: {
        methodKind: "unary";
        input: typeof ListRefsRequestSchema;
        output: typeof ListRefsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetRefLog
     */
    getRefLog: {
        methodKind: "unary";
        input: typeof GetRefLogRequestSchema;
        output: typeof GetRefLogResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetCommit
     */
    getCommit: {
        methodKind: "unary";
        input: typeof GetCommitRequestSchema;
        output: typeof GetCommitResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListCommits
     */
    listCommits: {
        methodKind: "unary";
        input: typeof ListCommitsRequestSchema;
        output: typeof ListCommitsResponseSchema;
    };
    /**
     * Returns the commit itself, then its ancestors by descending generation, then by hash.
     *
     * @generated from rpc makechain.MakechainService.GetCommitAncestors
     */
    getCommitAncestors: {
        methodKind: "unary";
        input: typeof GetCommitAncestorsRequestSchema;
        output: typeof GetCommitAncestorsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListCollaborators
     */
    listCollaborators: {
        methodKind: "unary";
        input: typeof ListCollaboratorsRequestSchema;
        output: typeof ListCollaboratorsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetAccount
     */
    getAccount: {
        methodKind: "unary";
        input: typeof GetAccountRequestSchema;
        output: typeof GetAccountResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetAccountByKey
     */
    getAccountByKey: {
        methodKind: "unary";
        input: typeof GetAccountByKeyRequestSchema;
        output: typeof GetAccountResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.SearchAccounts
     */
    searchAccounts: {
        methodKind: "unary";
        input: typeof SearchAccountsRequestSchema;
        output: typeof ListAccountsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListAccounts
     */
    listAccounts: {
        methodKind: "unary";
        input: typeof ListAccountsRequestSchema;
        output: typeof ListAccountsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetAccountActivity
     */
    getAccountActivity: {
        methodKind: "unary";
        input: typeof GetAccountActivityRequestSchema;
        output: typeof GetAccountActivityResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetKey
     */
    getKey: {
        methodKind: "unary";
        input: typeof GetKeyRequestSchema;
        output: typeof GetKeyResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListKeys
     */
    listKeys: {
        methodKind: "unary";
        input: typeof ListKeysRequestSchema;
        output: typeof ListKeysResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetCustodyKey
     */
    getCustodyKey: {
        methodKind: "unary";
        input: typeof GetCustodyKeyRequestSchema;
        output: typeof GetCustodyKeyResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListCustodyKeys
     */
    listCustodyKeys: {
        methodKind: "unary";
        input: typeof ListCustodyKeysRequestSchema;
        output: typeof ListCustodyKeysResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListVerifications
     */
    listVerifications: {
        methodKind: "unary";
        input: typeof ListVerificationsRequestSchema;
        output: typeof ListVerificationsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListLinks
     */
    listLinks: {
        methodKind: "unary";
        input: typeof ListLinksRequestSchema;
        output: typeof ListLinksResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListLinksByTarget
     */
    listLinksByTarget: {
        methodKind: "unary";
        input: typeof ListLinksByTargetRequestSchema;
        output: typeof ListLinksByTargetResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListReactions
     */
    listReactions: {
        methodKind: "unary";
        input: typeof ListReactionsRequestSchema;
        output: typeof ListReactionsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListReactionsByTarget
     */
    listReactionsByTarget: {
        methodKind: "unary";
        input: typeof ListReactionsByTargetRequestSchema;
        output: typeof ListReactionsByTargetResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetBlock
     */
    getBlock: {
        methodKind: "unary";
        input: typeof GetBlockRequestSchema;
        output: typeof GetBlockResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListBlocks
     */
    listBlocks: {
        methodKind: "unary";
        input: typeof ListBlocksRequestSchema;
        output: typeof ListBlocksResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetMessage
     */
    getMessage: {
        methodKind: "unary";
        input: typeof GetMessageRequestSchema;
        output: typeof GetMessageResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.ListMessages
     */
    listMessages: {
        methodKind: "unary";
        input: typeof ListMessagesRequestSchema;
        output: typeof ListMessagesResponseSchema;
    };
    /**
     * Returns the status of a message that this node has accepted.
     *
     * @generated from rpc makechain.MakechainService.GetMessageStatus
     */
    getMessageStatus: {
        methodKind: "unary";
        input: typeof GetMessageStatusRequestSchema;
        output: typeof GetMessageStatusResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetMessageInclusionProof
     */
    getMessageInclusionProof: {
        methodKind: "unary";
        input: typeof GetMessageInclusionProofRequestSchema;
        output: typeof GetMessageInclusionProofResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetOperationProof
     */
    getOperationProof: {
        methodKind: "unary";
        input: typeof GetOperationProofRequestSchema;
        output: typeof GetOperationProofResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetExclusionProof
     */
    getExclusionProof: {
        methodKind: "unary";
        input: typeof GetExclusionProofRequestSchema;
        output: typeof GetExclusionProofResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.VerifyOperationProof
     */
    verifyOperationProof: {
        methodKind: "unary";
        input: typeof VerifyOperationProofRequestSchema;
        output: typeof VerifyOperationProofResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.VerifyExclusionProof
     */
    verifyExclusionProof: {
        methodKind: "unary";
        input: typeof VerifyExclusionProofRequestSchema;
        output: typeof VerifyExclusionProofResponseSchema;
    };
    /**
     * Verifies against the root of the given block.
     *
     * @generated from rpc makechain.MakechainService.VerifyOperationProofAtBlock
     */
    verifyOperationProofAtBlock: {
        methodKind: "unary";
        input: typeof VerifyOperationProofAtBlockRequestSchema;
        output: typeof VerifyOperationProofAtBlockResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.VerifyExclusionProofAtBlock
     */
    verifyExclusionProofAtBlock: {
        methodKind: "unary";
        input: typeof VerifyExclusionProofAtBlockRequestSchema;
        output: typeof VerifyExclusionProofAtBlockResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetCompoundProof
     */
    getCompoundProof: {
        methodKind: "unary";
        input: typeof GetCompoundProofRequestSchema;
        output: typeof GetCompoundProofResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetStorageQuotaProof
     */
    getStorageQuotaProof: {
        methodKind: "unary";
        input: typeof GetStorageQuotaProofRequestSchema;
        output: typeof GetStorageQuotaProofResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.VerifyStorageQuotaProof
     */
    verifyStorageQuotaProof: {
        methodKind: "unary";
        input: typeof VerifyStorageQuotaProofRequestSchema;
        output: typeof VerifyStorageQuotaProofResponseSchema;
    };
    /**
     * Proves that a list of rows is complete.
     *
     * @generated from rpc makechain.MakechainService.GetRangeProof
     */
    getRangeProof: {
        methodKind: "unary";
        input: typeof GetRangeProofRequestSchema;
        output: typeof GetRangeProofResponseSchema;
    };
    /**
     * Proves a project, its metadata, its fork parent and all its refs at one certified root.
     *
     * @generated from rpc makechain.MakechainService.GetProjectProof
     */
    getProjectProof: {
        methodKind: "unary";
        input: typeof GetProjectProofRequestSchema;
        output: typeof GetProjectProofResponseSchema;
    };
    /**
     * Proves the digests of the contents of a project at one certified root.
     *
     * @generated from rpc makechain.MakechainService.ListContent
     */
    listContent: {
        methodKind: "unary";
        input: typeof ListContentRequestSchema;
        output: typeof ListContentResponseSchema;
    };
    /**
     * Returns the light block that certifies the root after a block.
     *
     * @generated from rpc makechain.MakechainService.GetFinalizedRoot
     */
    getFinalizedRoot: {
        methodKind: "unary";
        input: typeof GetFinalizedRootRequestSchema;
        output: typeof GetFinalizedRootResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetNodeStatus
     */
    getNodeStatus: {
        methodKind: "unary";
        input: typeof GetNodeStatusRequestSchema;
        output: typeof GetNodeStatusResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetHealth
     */
    getHealth: {
        methodKind: "unary";
        input: typeof GetHealthRequestSchema;
        output: typeof GetHealthResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetChainStats
     */
    getChainStats: {
        methodKind: "unary";
        input: typeof GetChainStatsRequestSchema;
        output: typeof GetChainStatsResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetSnapshotInfo
     */
    getSnapshotInfo: {
        methodKind: "unary";
        input: typeof GetSnapshotInfoRequestSchema;
        output: typeof GetSnapshotInfoResponseSchema;
    };
    /**
     * @generated from rpc makechain.MakechainService.GetMempoolInfo
     */
    getMempoolInfo: {
        methodKind: "unary";
        input: typeof GetMempoolInfoRequestSchema;
        output: typeof GetMempoolInfoResponseSchema;
    };
    /**
     * Streams messages as they commit, in order, without gaps or duplicates.
     *
     * @generated from rpc makechain.MakechainService.SubscribeMessages
     */
    subscribeMessages: {
        methodKind: "server_streaming";
        input: typeof SubscribeRequestSchema;
        output: typeof MessageSchema;
    };
    /**
     * Streams blocks as they commit.
     *
     * @generated from rpc makechain.MakechainService.SubscribeBlocks
     */
    subscribeBlocks: {
        methodKind: "server_streaming";
        input: typeof SubscribeBlocksRequestSchema;
        output: typeof GetBlockResponseSchema;
    };
}>;
