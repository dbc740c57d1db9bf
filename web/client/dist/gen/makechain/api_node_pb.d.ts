import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { MessageType, Network } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_node.proto.
 */
export declare const file_makechain_api_node: GenFile;
/**
 * ReplayVerificationInfo reports whether the node verified its state from genesis or trusts a
 * snapshot.
 *
 * @generated from message makechain.ReplayVerificationInfo
 */
export type ReplayVerificationInfo = Message<"makechain.ReplayVerificationInfo"> & {
    /**
     * @generated from field: makechain.ReplayVerificationStatus status = 1;
     */
    status: ReplayVerificationStatus;
    /**
     * @generated from field: string detail = 2;
     */
    detail: string;
    /**
     * @generated from field: uint64 blocked_block_number = 3;
     */
    blockedBlockNumber: bigint;
    /**
     * @generated from field: bool waiting_on_external_evidence = 4;
     */
    waitingOnExternalEvidence: boolean;
};
/**
 * Describes the message makechain.ReplayVerificationInfo.
 * Use `create(ReplayVerificationInfoSchema)` to create a new message.
 */
export declare const ReplayVerificationInfoSchema: GenMessage<ReplayVerificationInfo>;
/**
 * @generated from message makechain.GetNodeStatusRequest
 */
export type GetNodeStatusRequest = Message<"makechain.GetNodeStatusRequest"> & {};
/**
 * Describes the message makechain.GetNodeStatusRequest.
 * Use `create(GetNodeStatusRequestSchema)` to create a new message.
 */
export declare const GetNodeStatusRequestSchema: GenMessage<GetNodeStatusRequest>;
/**
 * @generated from message makechain.GetNodeStatusResponse
 */
export type GetNodeStatusResponse = Message<"makechain.GetNodeStatusResponse"> & {
    /**
     * @generated from field: uint64 current_block = 1;
     */
    currentBlock: bigint;
    /**
     * @generated from field: uint32 mempool_size = 2;
     */
    mempoolSize: number;
    /**
     * @generated from field: uint32 pending_blocks = 3;
     */
    pendingBlocks: number;
    /**
     * @generated from field: makechain.Network network = 4;
     */
    network: Network;
    /**
     * @generated from field: string version = 5;
     */
    version: string;
    /**
     * @generated from field: uint64 uptime_secs = 6;
     */
    uptimeSecs: bigint;
    /**
     * @generated from field: uint64 total_messages = 7;
     */
    totalMessages: bigint;
    /**
     * @generated from field: uint32 state_entries = 8;
     */
    stateEntries: number;
    /**
     * @generated from field: makechain.ReplayVerificationInfo replay_verification = 9;
     */
    replayVerification?: ReplayVerificationInfo | undefined;
    /**
     * @generated from field: bytes validator_public_key = 10;
     */
    validatorPublicKey: Uint8Array;
    /**
     * @generated from field: bool catching_up = 100;
     */
    catchingUp: boolean;
    /**
     * @generated from field: uint32 peer_count = 101;
     */
    peerCount: number;
    /**
     * @generated from field: string chain_id = 102;
     */
    chainId: string;
    /**
     * rules_version is the version of the rules in force in the next block.
     *
     * @generated from field: uint64 rules_version = 103;
     */
    rulesVersion: bigint;
    /**
     * pending_rules is the activation of the next version, if one is decided and its height is not reached.
     *
     * @generated from field: makechain.RulesActivation pending_rules = 104;
     */
    pendingRules?: RulesActivation | undefined;
};
/**
 * Describes the message makechain.GetNodeStatusResponse.
 * Use `create(GetNodeStatusResponseSchema)` to create a new message.
 */
export declare const GetNodeStatusResponseSchema: GenMessage<GetNodeStatusResponse>;
/**
 * RulesActivation is a version of the rules and the height of the first block in which it is in force.
 *
 * @generated from message makechain.RulesActivation
 */
export type RulesActivation = Message<"makechain.RulesActivation"> & {
    /**
     * @generated from field: uint64 version = 1;
     */
    version: bigint;
    /**
     * @generated from field: uint64 height = 2;
     */
    height: bigint;
};
/**
 * Describes the message makechain.RulesActivation.
 * Use `create(RulesActivationSchema)` to create a new message.
 */
export declare const RulesActivationSchema: GenMessage<RulesActivation>;
/**
 * @generated from message makechain.GetHealthRequest
 */
export type GetHealthRequest = Message<"makechain.GetHealthRequest"> & {};
/**
 * Describes the message makechain.GetHealthRequest.
 * Use `create(GetHealthRequestSchema)` to create a new message.
 */
export declare const GetHealthRequestSchema: GenMessage<GetHealthRequest>;
/**
 * @generated from message makechain.GetHealthResponse
 */
export type GetHealthResponse = Message<"makechain.GetHealthResponse"> & {
    /**
     * @generated from field: bool serving = 1;
     */
    serving: boolean;
    /**
     * @generated from field: bool ready = 2;
     */
    ready: boolean;
    /**
     * @generated from field: uint64 current_block = 3;
     */
    currentBlock: bigint;
    /**
     * @generated from field: uint64 uptime_secs = 4;
     */
    uptimeSecs: bigint;
    /**
     * @generated from field: makechain.ReplayVerificationInfo replay_verification = 5;
     */
    replayVerification?: ReplayVerificationInfo | undefined;
};
/**
 * Describes the message makechain.GetHealthResponse.
 * Use `create(GetHealthResponseSchema)` to create a new message.
 */
export declare const GetHealthResponseSchema: GenMessage<GetHealthResponse>;
/**
 * @generated from message makechain.GetChainStatsRequest
 */
export type GetChainStatsRequest = Message<"makechain.GetChainStatsRequest"> & {};
/**
 * Describes the message makechain.GetChainStatsRequest.
 * Use `create(GetChainStatsRequestSchema)` to create a new message.
 */
export declare const GetChainStatsRequestSchema: GenMessage<GetChainStatsRequest>;
/**
 * @generated from message makechain.GetChainStatsResponse
 */
export type GetChainStatsResponse = Message<"makechain.GetChainStatsResponse"> & {
    /**
     * @generated from field: uint64 block_height = 1;
     */
    blockHeight: bigint;
    /**
     * @generated from field: uint64 total_messages = 2;
     */
    totalMessages: bigint;
    /**
     * @generated from field: uint32 total_projects = 3;
     */
    totalProjects: number;
    /**
     * @generated from field: uint32 total_accounts = 4;
     */
    totalAccounts: number;
    /**
     * @generated from field: uint32 total_refs = 5;
     */
    totalRefs: number;
    /**
     * @generated from field: uint32 total_commits = 6;
     */
    totalCommits: number;
    /**
     * @generated from field: uint32 total_collaborators = 7;
     */
    totalCollaborators: number;
    /**
     * @generated from field: uint32 total_keys = 8;
     */
    totalKeys: number;
    /**
     * @generated from field: uint32 total_verifications = 9;
     */
    totalVerifications: number;
    /**
     * @generated from field: uint32 state_entries = 10;
     */
    stateEntries: number;
    /**
     * @generated from field: uint32 total_links = 11;
     */
    totalLinks: number;
    /**
     * @generated from field: uint32 total_reactions = 12;
     */
    totalReactions: number;
};
/**
 * Describes the message makechain.GetChainStatsResponse.
 * Use `create(GetChainStatsResponseSchema)` to create a new message.
 */
export declare const GetChainStatsResponseSchema: GenMessage<GetChainStatsResponse>;
/**
 * @generated from message makechain.GetSnapshotInfoRequest
 */
export type GetSnapshotInfoRequest = Message<"makechain.GetSnapshotInfoRequest"> & {};
/**
 * Describes the message makechain.GetSnapshotInfoRequest.
 * Use `create(GetSnapshotInfoRequestSchema)` to create a new message.
 */
export declare const GetSnapshotInfoRequestSchema: GenMessage<GetSnapshotInfoRequest>;
/**
 * @generated from message makechain.GetSnapshotInfoResponse
 */
export type GetSnapshotInfoResponse = Message<"makechain.GetSnapshotInfoResponse"> & {
    /**
     * @generated from field: uint64 block_number = 1;
     */
    blockNumber: bigint;
    /**
     * @generated from field: bytes state_root = 2;
     */
    stateRoot: Uint8Array;
    /**
     * @generated from field: uint32 entry_count = 3;
     */
    entryCount: number;
    /**
     * @generated from field: uint64 estimated_size_bytes = 4;
     */
    estimatedSizeBytes: bigint;
};
/**
 * Describes the message makechain.GetSnapshotInfoResponse.
 * Use `create(GetSnapshotInfoResponseSchema)` to create a new message.
 */
export declare const GetSnapshotInfoResponseSchema: GenMessage<GetSnapshotInfoResponse>;
/**
 * @generated from message makechain.MempoolTypeCount
 */
export type MempoolTypeCount = Message<"makechain.MempoolTypeCount"> & {
    /**
     * @generated from field: makechain.MessageType message_type = 1;
     */
    messageType: MessageType;
    /**
     * @generated from field: uint32 count = 2;
     */
    count: number;
};
/**
 * Describes the message makechain.MempoolTypeCount.
 * Use `create(MempoolTypeCountSchema)` to create a new message.
 */
export declare const MempoolTypeCountSchema: GenMessage<MempoolTypeCount>;
/**
 * @generated from message makechain.GetMempoolInfoRequest
 */
export type GetMempoolInfoRequest = Message<"makechain.GetMempoolInfoRequest"> & {};
/**
 * Describes the message makechain.GetMempoolInfoRequest.
 * Use `create(GetMempoolInfoRequestSchema)` to create a new message.
 */
export declare const GetMempoolInfoRequestSchema: GenMessage<GetMempoolInfoRequest>;
/**
 * @generated from message makechain.GetMempoolInfoResponse
 */
export type GetMempoolInfoResponse = Message<"makechain.GetMempoolInfoResponse"> & {
    /**
     * @generated from field: uint32 total = 1;
     */
    total: number;
    /**
     * @generated from field: uint32 capacity = 2;
     */
    capacity: number;
    /**
     * @generated from field: uint32 account_messages = 3;
     */
    accountMessages: number;
    /**
     * @generated from field: uint32 project_messages = 4;
     */
    projectMessages: number;
    /**
     * @generated from field: repeated makechain.MempoolTypeCount type_breakdown = 5;
     */
    typeBreakdown: MempoolTypeCount[];
    /**
     * @generated from field: uint32 oldest_timestamp = 6;
     */
    oldestTimestamp: number;
    /**
     * @generated from field: uint32 newest_timestamp = 7;
     */
    newestTimestamp: number;
};
/**
 * Describes the message makechain.GetMempoolInfoResponse.
 * Use `create(GetMempoolInfoResponseSchema)` to create a new message.
 */
export declare const GetMempoolInfoResponseSchema: GenMessage<GetMempoolInfoResponse>;
/**
 * @generated from enum makechain.ReplayVerificationStatus
 */
export declare enum ReplayVerificationStatus {
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_VERIFIED = 1;
     */
    VERIFIED = 1,
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_TRUSTED_SNAPSHOT = 2;
     */
    TRUSTED_SNAPSHOT = 2,
    /**
     * @generated from enum value: REPLAY_VERIFICATION_STATUS_BLOCKED_WAITING_EXTERNAL_EVIDENCE = 3;
     */
    BLOCKED_WAITING_EXTERNAL_EVIDENCE = 3
}
/**
 * Describes the enum makechain.ReplayVerificationStatus.
 */
export declare const ReplayVerificationStatusSchema: GenEnum<ReplayVerificationStatus>;
