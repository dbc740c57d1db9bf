import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message as Message$1, Network } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/block.proto.
 */
export declare const file_makechain_block: GenFile;
/**
 * @generated from message makechain.Height
 */
export type Height = Message<"makechain.Height"> & {
    /**
     * @generated from field: uint32 shard_index = 1;
     */
    shardIndex: number;
    /**
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.Height.
 * Use `create(HeightSchema)` to create a new message.
 */
export declare const HeightSchema: GenMessage<Height>;
/**
 * CommitSignature is one validator's signature on a block.
 *
 * @generated from message makechain.CommitSignature
 */
export type CommitSignature = Message<"makechain.CommitSignature"> & {
    /**
     * @generated from field: bytes signer = 1;
     */
    signer: Uint8Array;
    /**
     * @generated from field: bytes signature = 2;
     */
    signature: Uint8Array;
};
/**
 * Describes the message makechain.CommitSignature.
 * Use `create(CommitSignatureSchema)` to create a new message.
 */
export declare const CommitSignatureSchema: GenMessage<CommitSignature>;
/**
 * @generated from message makechain.Commits
 */
export type Commits = Message<"makechain.Commits"> & {
    /**
     * @generated from field: makechain.Height height = 1;
     */
    height?: Height | undefined;
    /**
     * @generated from field: bytes value = 2;
     */
    value: Uint8Array;
    /**
     * @generated from field: repeated makechain.CommitSignature signatures = 3;
     */
    signatures: CommitSignature[];
};
/**
 * Describes the message makechain.Commits.
 * Use `create(CommitsSchema)` to create a new message.
 */
export declare const CommitsSchema: GenMessage<Commits>;
/**
 * @generated from message makechain.BlockHeader
 */
export type BlockHeader = Message<"makechain.BlockHeader"> & {
    /**
     * @generated from field: makechain.Height height = 1;
     */
    height?: Height | undefined;
    /**
     * @generated from field: uint64 timestamp = 2;
     */
    timestamp: bigint;
    /**
     * @generated from field: uint32 version = 3;
     */
    version: number;
    /**
     * @generated from field: makechain.Network chain_id = 4;
     */
    chainId: Network;
    /**
     * @generated from field: bytes parent_hash = 5;
     */
    parentHash: Uint8Array;
    /**
     * @generated from field: bytes state_root = 6;
     */
    stateRoot: Uint8Array;
    /**
     * @generated from field: bytes transactions_root = 10;
     */
    transactionsRoot: Uint8Array;
};
/**
 * Describes the message makechain.BlockHeader.
 * Use `create(BlockHeaderSchema)` to create a new message.
 */
export declare const BlockHeaderSchema: GenMessage<BlockHeader>;
/**
 * @generated from message makechain.ShardChunkRef
 */
export type ShardChunkRef = Message<"makechain.ShardChunkRef"> & {
    /**
     * @generated from field: makechain.Height height = 1;
     */
    height?: Height | undefined;
    /**
     * @generated from field: bytes shard_root = 2;
     */
    shardRoot: Uint8Array;
    /**
     * @generated from field: bytes shard_hash = 3;
     */
    shardHash: Uint8Array;
};
/**
 * Describes the message makechain.ShardChunkRef.
 * Use `create(ShardChunkRefSchema)` to create a new message.
 */
export declare const ShardChunkRefSchema: GenMessage<ShardChunkRef>;
/**
 * @generated from message makechain.ShardWitness
 */
export type ShardWitness = Message<"makechain.ShardWitness"> & {
    /**
     * @generated from field: repeated makechain.ShardChunkRef shard_refs = 1;
     */
    shardRefs: ShardChunkRef[];
};
/**
 * Describes the message makechain.ShardWitness.
 * Use `create(ShardWitnessSchema)` to create a new message.
 */
export declare const ShardWitnessSchema: GenMessage<ShardWitness>;
/**
 * @generated from message makechain.ShardHeader
 */
export type ShardHeader = Message<"makechain.ShardHeader"> & {
    /**
     * @generated from field: makechain.Height height = 1;
     */
    height?: Height | undefined;
    /**
     * @generated from field: uint64 timestamp = 2;
     */
    timestamp: bigint;
    /**
     * @generated from field: bytes parent_hash = 3;
     */
    parentHash: Uint8Array;
    /**
     * @generated from field: bytes shard_root = 4;
     */
    shardRoot: Uint8Array;
};
/**
 * Describes the message makechain.ShardHeader.
 * Use `create(ShardHeaderSchema)` to create a new message.
 */
export declare const ShardHeaderSchema: GenMessage<ShardHeader>;
/**
 * @generated from message makechain.ProjectTransaction
 */
export type ProjectTransaction = Message<"makechain.ProjectTransaction"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: repeated makechain.Message user_messages = 2;
     */
    userMessages: Message$1[];
    /**
     * @generated from field: bytes project_root = 3;
     */
    projectRoot: Uint8Array;
};
/**
 * Describes the message makechain.ProjectTransaction.
 * Use `create(ProjectTransactionSchema)` to create a new message.
 */
export declare const ProjectTransactionSchema: GenMessage<ProjectTransaction>;
/**
 * @generated from message makechain.ShardChunk
 */
export type ShardChunk = Message<"makechain.ShardChunk"> & {
    /**
     * @generated from field: makechain.ShardHeader header = 1;
     */
    header?: ShardHeader | undefined;
    /**
     * @generated from field: bytes hash = 2;
     */
    hash: Uint8Array;
    /**
     * @generated from field: repeated makechain.ProjectTransaction txns = 3;
     */
    txns: ProjectTransaction[];
    /**
     * @generated from field: makechain.Commits commits = 4;
     */
    commits?: Commits | undefined;
};
/**
 * Describes the message makechain.ShardChunk.
 * Use `create(ShardChunkSchema)` to create a new message.
 */
export declare const ShardChunkSchema: GenMessage<ShardChunk>;
/**
 * @generated from message makechain.Block
 */
export type Block = Message<"makechain.Block"> & {
    /**
     * @generated from field: makechain.BlockHeader header = 1;
     */
    header?: BlockHeader | undefined;
    /**
     * @generated from field: bytes hash = 2;
     */
    hash: Uint8Array;
    /**
     * @generated from field: makechain.ShardWitness witness = 3;
     */
    witness?: ShardWitness | undefined;
    /**
     * @generated from field: makechain.Commits commits = 4;
     */
    commits?: Commits | undefined;
    /**
     * @generated from field: repeated makechain.ShardChunk chunks = 5;
     */
    chunks: ShardChunk[];
    /**
     * @generated from field: bytes consensus_finalization = 6;
     */
    consensusFinalization: Uint8Array;
};
/**
 * Describes the message makechain.Block.
 * Use `create(BlockSchema)` to create a new message.
 */
export declare const BlockSchema: GenMessage<Block>;
/**
 * @generated from message makechain.ProjectMessages
 */
export type ProjectMessages = Message<"makechain.ProjectMessages"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: repeated makechain.Message messages = 2;
     */
    messages: Message$1[];
};
/**
 * Describes the message makechain.ProjectMessages.
 * Use `create(ProjectMessagesSchema)` to create a new message.
 */
export declare const ProjectMessagesSchema: GenMessage<ProjectMessages>;
/**
 * ExecutionPayload holds the messages of a block in the order in which they were applied.
 *
 * @generated from message makechain.ExecutionPayload
 */
export type ExecutionPayload = Message<"makechain.ExecutionPayload"> & {
    /**
     * @generated from field: bytes digest = 1;
     */
    digest: Uint8Array;
    /**
     * @generated from field: repeated makechain.Message account_messages = 2;
     */
    accountMessages: Message$1[];
    /**
     * @generated from field: repeated makechain.ProjectMessages project_messages = 3;
     */
    projectMessages: ProjectMessages[];
    /**
     * @generated from field: uint64 timestamp = 4;
     */
    timestamp: bigint;
    /**
     * @generated from field: uint64 block_number = 5;
     */
    blockNumber: bigint;
    /**
     * @generated from field: bytes parent_hash = 6;
     */
    parentHash: Uint8Array;
    /**
     * @generated from field: uint32 chain_id = 7;
     */
    chainId: number;
    /**
     * @generated from field: uint32 version = 8;
     */
    version: number;
};
/**
 * Describes the message makechain.ExecutionPayload.
 * Use `create(ExecutionPayloadSchema)` to create a new message.
 */
export declare const ExecutionPayloadSchema: GenMessage<ExecutionPayload>;
