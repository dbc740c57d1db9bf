import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Block, ExecutionPayload } from "./block_pb.js";
import type { Message as Message$1, MessageType } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_message.proto.
 */
export declare const file_makechain_api_message: GenFile;
/**
 * MessageEntry is a committed message with its block number.
 *
 * @generated from message makechain.MessageEntry
 */
export type MessageEntry = Message<"makechain.MessageEntry"> & {
    /**
     * @generated from field: makechain.Message message = 1;
     */
    message?: Message$1 | undefined;
    /**
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.MessageEntry.
 * Use `create(MessageEntrySchema)` to create a new message.
 */
export declare const MessageEntrySchema: GenMessage<MessageEntry>;
/**
 * @generated from message makechain.GetBlockRequest
 */
export type GetBlockRequest = Message<"makechain.GetBlockRequest"> & {
    /**
     * @generated from field: uint64 block_number = 1;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetBlockRequest.
 * Use `create(GetBlockRequestSchema)` to create a new message.
 */
export declare const GetBlockRequestSchema: GenMessage<GetBlockRequest>;
/**
 * @generated from message makechain.GetBlockResponse
 */
export type GetBlockResponse = Message<"makechain.GetBlockResponse"> & {
    /**
     * @generated from field: makechain.Block block = 1;
     */
    block?: Block | undefined;
    /**
     * @generated from field: makechain.ExecutionPayload execution_payload = 2;
     */
    executionPayload?: ExecutionPayload | undefined;
};
/**
 * Describes the message makechain.GetBlockResponse.
 * Use `create(GetBlockResponseSchema)` to create a new message.
 */
export declare const GetBlockResponseSchema: GenMessage<GetBlockResponse>;
/**
 * ListBlocksRequest asks for blocks, newest first, from start or the latest block on.
 *
 * @generated from message makechain.ListBlocksRequest
 */
export type ListBlocksRequest = Message<"makechain.ListBlocksRequest"> & {
    /**
     * @generated from field: uint64 start = 1;
     */
    start: bigint;
    /**
     * @generated from field: uint32 limit = 2;
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
 * Describes the message makechain.ListBlocksRequest.
 * Use `create(ListBlocksRequestSchema)` to create a new message.
 */
export declare const ListBlocksRequestSchema: GenMessage<ListBlocksRequest>;
/**
 * @generated from message makechain.ListBlocksResponse
 */
export type ListBlocksResponse = Message<"makechain.ListBlocksResponse"> & {
    /**
     * @generated from field: repeated makechain.GetBlockResponse blocks = 1;
     */
    blocks: GetBlockResponse[];
    /**
     * @generated from field: uint64 latest_block = 2;
     */
    latestBlock: bigint;
    /**
     * The cursor of the next page; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 100;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListBlocksResponse.
 * Use `create(ListBlocksResponseSchema)` to create a new message.
 */
export declare const ListBlocksResponseSchema: GenMessage<ListBlocksResponse>;
/**
 * @generated from message makechain.GetMessageRequest
 */
export type GetMessageRequest = Message<"makechain.GetMessageRequest"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
};
/**
 * Describes the message makechain.GetMessageRequest.
 * Use `create(GetMessageRequestSchema)` to create a new message.
 */
export declare const GetMessageRequestSchema: GenMessage<GetMessageRequest>;
/**
 * @generated from message makechain.GetMessageResponse
 */
export type GetMessageResponse = Message<"makechain.GetMessageResponse"> & {
    /**
     * @generated from field: makechain.Message message = 1;
     */
    message?: Message$1 | undefined;
    /**
     * @generated from field: uint64 block_number = 2;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetMessageResponse.
 * Use `create(GetMessageResponseSchema)` to create a new message.
 */
export declare const GetMessageResponseSchema: GenMessage<GetMessageResponse>;
/**
 * ListMessagesRequest asks for the messages of a range of blocks, in order.
 *
 * @generated from message makechain.ListMessagesRequest
 */
export type ListMessagesRequest = Message<"makechain.ListMessagesRequest"> & {
    /**
     * @generated from field: uint64 start_block = 1;
     */
    startBlock: bigint;
    /**
     * @generated from field: uint64 end_block = 2;
     */
    endBlock: bigint;
    /**
     * @generated from field: uint32 limit = 3;
     */
    limit: number;
    /**
     * @generated from field: repeated makechain.MessageType types = 4;
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
 * Describes the message makechain.ListMessagesRequest.
 * Use `create(ListMessagesRequestSchema)` to create a new message.
 */
export declare const ListMessagesRequestSchema: GenMessage<ListMessagesRequest>;
/**
 * ListMessagesResponse is a page of messages. It may end inside a block, and may be short or empty although more
 * messages follow: only an empty next_cursor ends the list.
 *
 * @generated from message makechain.ListMessagesResponse
 */
export type ListMessagesResponse = Message<"makechain.ListMessagesResponse"> & {
    /**
     * @generated from field: repeated makechain.MessageEntry messages = 1;
     */
    messages: MessageEntry[];
    /**
     * The block at which the page starts.
     *
     * @generated from field: uint64 start_block = 2;
     */
    startBlock: bigint;
    /**
     * The last block of which this page and those before it have returned every message that matches; start_block - 1 if
     * the page ends inside its first block.
     *
     * @generated from field: uint64 end_block = 3;
     */
    endBlock: bigint;
    /**
     * The cursor of the next page; empty on the last page.
     *
     * @generated from field: bytes next_cursor = 100;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListMessagesResponse.
 * Use `create(ListMessagesResponseSchema)` to create a new message.
 */
export declare const ListMessagesResponseSchema: GenMessage<ListMessagesResponse>;
/**
 * @generated from message makechain.GetMessageStatusRequest
 */
export type GetMessageStatusRequest = Message<"makechain.GetMessageStatusRequest"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
};
/**
 * Describes the message makechain.GetMessageStatusRequest.
 * Use `create(GetMessageStatusRequestSchema)` to create a new message.
 */
export declare const GetMessageStatusRequestSchema: GenMessage<GetMessageStatusRequest>;
/**
 * @generated from message makechain.GetMessageStatusResponse
 */
export type GetMessageStatusResponse = Message<"makechain.GetMessageStatusResponse"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
    /**
     * @generated from field: makechain.MessageState state = 2;
     */
    state: MessageState;
    /**
     * @generated from field: uint64 block_number = 3;
     */
    blockNumber: bigint;
    /**
     * @generated from field: uint32 index = 4;
     */
    index: number;
    /**
     * @generated from field: string stage = 5;
     */
    stage: string;
    /**
     * @generated from field: string code = 6;
     */
    code: string;
    /**
     * @generated from field: string error = 7;
     */
    error: string;
    /**
     * @generated from field: uint64 seen_at = 8;
     */
    seenAt: bigint;
};
/**
 * Describes the message makechain.GetMessageStatusResponse.
 * Use `create(GetMessageStatusResponseSchema)` to create a new message.
 */
export declare const GetMessageStatusResponseSchema: GenMessage<GetMessageStatusResponse>;
/**
 * @generated from message makechain.GetMessageInclusionProofRequest
 */
export type GetMessageInclusionProofRequest = Message<"makechain.GetMessageInclusionProofRequest"> & {
    /**
     * @generated from field: bytes block_hash = 1;
     */
    blockHash: Uint8Array;
    /**
     * @generated from field: bytes message_hash = 2;
     */
    messageHash: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetMessageInclusionProofRequest.
 * Use `create(GetMessageInclusionProofRequestSchema)` to create a new message.
 */
export declare const GetMessageInclusionProofRequestSchema: GenMessage<GetMessageInclusionProofRequest>;
/**
 * @generated from message makechain.GetMessageInclusionProofResponse
 */
export type GetMessageInclusionProofResponse = Message<"makechain.GetMessageInclusionProofResponse"> & {
    /**
     * @generated from field: bytes proof = 1;
     */
    proof: Uint8Array;
    /**
     * @generated from field: uint32 position = 2;
     */
    position: number;
    /**
     * @generated from field: bytes transactions_root = 3;
     */
    transactionsRoot: Uint8Array;
    /**
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.GetMessageInclusionProofResponse.
 * Use `create(GetMessageInclusionProofResponseSchema)` to create a new message.
 */
export declare const GetMessageInclusionProofResponseSchema: GenMessage<GetMessageInclusionProofResponse>;
/**
 * SubscribeRequest subscribes to messages from now or from a position; a message must match all filters.
 *
 * @generated from message makechain.SubscribeRequest
 */
export type SubscribeRequest = Message<"makechain.SubscribeRequest"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: repeated makechain.MessageType types = 2;
     */
    types: MessageType[];
    /**
     * @generated from field: bytes owner_address = 100;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: optional uint64 start_block = 101;
     */
    startBlock?: bigint | undefined;
    /**
     * @generated from field: uint32 start_index = 102;
     */
    startIndex: number;
};
/**
 * Describes the message makechain.SubscribeRequest.
 * Use `create(SubscribeRequestSchema)` to create a new message.
 */
export declare const SubscribeRequestSchema: GenMessage<SubscribeRequest>;
/**
 * @generated from message makechain.SubscribeBlocksRequest
 */
export type SubscribeBlocksRequest = Message<"makechain.SubscribeBlocksRequest"> & {
    /**
     * @generated from field: optional uint64 start_block = 100;
     */
    startBlock?: bigint | undefined;
};
/**
 * Describes the message makechain.SubscribeBlocksRequest.
 * Use `create(SubscribeBlocksRequestSchema)` to create a new message.
 */
export declare const SubscribeBlocksRequestSchema: GenMessage<SubscribeBlocksRequest>;
/**
 * MessageState is the status of an accepted message.
 *
 * @generated from enum makechain.MessageState
 */
export declare enum MessageState {
    /**
     * @generated from enum value: MESSAGE_STATE_UNKNOWN = 0;
     */
    UNKNOWN = 0,
    /**
     * @generated from enum value: MESSAGE_STATE_PENDING = 1;
     */
    PENDING = 1,
    /**
     * @generated from enum value: MESSAGE_STATE_COMMITTED = 2;
     */
    COMMITTED = 2,
    /**
     * @generated from enum value: MESSAGE_STATE_REFUSED = 3;
     */
    REFUSED = 3,
    /**
     * @generated from enum value: MESSAGE_STATE_EXPIRED = 4;
     */
    EXPIRED = 4
}
/**
 * Describes the enum makechain.MessageState.
 */
export declare const MessageStateSchema: GenEnum<MessageState>;
