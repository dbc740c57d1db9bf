import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message as Message$1 } from "./message_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_write.proto.
 */
export declare const file_makechain_api_write: GenFile;
/**
 * @generated from message makechain.SubmitMessageRequest
 */
export type SubmitMessageRequest = Message<"makechain.SubmitMessageRequest"> & {
    /**
     * @generated from field: makechain.Message message = 1;
     */
    message?: Message$1 | undefined;
    /**
     * @generated from field: makechain.SubmitWait wait = 100;
     */
    wait: SubmitWait;
    /**
     * @generated from field: uint32 wait_timeout_ms = 101;
     */
    waitTimeoutMs: number;
};
/**
 * Describes the message makechain.SubmitMessageRequest.
 * Use `create(SubmitMessageRequestSchema)` to create a new message.
 */
export declare const SubmitMessageRequestSchema: GenMessage<SubmitMessageRequest>;
/**
 * @generated from message makechain.SubmitMessageResponse
 */
export type SubmitMessageResponse = Message<"makechain.SubmitMessageResponse"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
    /**
     * @generated from field: bool accepted = 2;
     */
    accepted: boolean;
    /**
     * @generated from field: string error = 3;
     */
    error: string;
    /**
     * Stable refusal code, empty when accepted.
     *
     * @generated from field: string code = 100;
     */
    code: string;
    /**
     * verification, validation, authorization or state transition.
     *
     * @generated from field: string stage = 101;
     */
    stage: string;
    /**
     * The block that contains the message, when the caller waited for it.
     *
     * @generated from field: uint64 block_number = 102;
     */
    blockNumber: bigint;
};
/**
 * Describes the message makechain.SubmitMessageResponse.
 * Use `create(SubmitMessageResponseSchema)` to create a new message.
 */
export declare const SubmitMessageResponseSchema: GenMessage<SubmitMessageResponse>;
/**
 * @generated from message makechain.BatchSubmitRequest
 */
export type BatchSubmitRequest = Message<"makechain.BatchSubmitRequest"> & {
    /**
     * @generated from field: repeated makechain.Message messages = 1;
     */
    messages: Message$1[];
};
/**
 * Describes the message makechain.BatchSubmitRequest.
 * Use `create(BatchSubmitRequestSchema)` to create a new message.
 */
export declare const BatchSubmitRequestSchema: GenMessage<BatchSubmitRequest>;
/**
 * @generated from message makechain.BatchSubmitResult
 */
export type BatchSubmitResult = Message<"makechain.BatchSubmitResult"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
    /**
     * @generated from field: bool accepted = 2;
     */
    accepted: boolean;
    /**
     * @generated from field: string error = 3;
     */
    error: string;
    /**
     * @generated from field: string code = 100;
     */
    code: string;
    /**
     * @generated from field: string stage = 101;
     */
    stage: string;
};
/**
 * Describes the message makechain.BatchSubmitResult.
 * Use `create(BatchSubmitResultSchema)` to create a new message.
 */
export declare const BatchSubmitResultSchema: GenMessage<BatchSubmitResult>;
/**
 * @generated from message makechain.BatchSubmitResponse
 */
export type BatchSubmitResponse = Message<"makechain.BatchSubmitResponse"> & {
    /**
     * @generated from field: repeated makechain.BatchSubmitResult results = 1;
     */
    results: BatchSubmitResult[];
    /**
     * @generated from field: uint32 accepted_count = 2;
     */
    acceptedCount: number;
    /**
     * @generated from field: uint32 rejected_count = 3;
     */
    rejectedCount: number;
};
/**
 * Describes the message makechain.BatchSubmitResponse.
 * Use `create(BatchSubmitResponseSchema)` to create a new message.
 */
export declare const BatchSubmitResponseSchema: GenMessage<BatchSubmitResponse>;
/**
 * @generated from message makechain.DryRunMessageRequest
 */
export type DryRunMessageRequest = Message<"makechain.DryRunMessageRequest"> & {
    /**
     * @generated from field: makechain.Message message = 1;
     */
    message?: Message$1 | undefined;
};
/**
 * Describes the message makechain.DryRunMessageRequest.
 * Use `create(DryRunMessageRequestSchema)` to create a new message.
 */
export declare const DryRunMessageRequestSchema: GenMessage<DryRunMessageRequest>;
/**
 * @generated from message makechain.DryRunMessageResponse
 */
export type DryRunMessageResponse = Message<"makechain.DryRunMessageResponse"> & {
    /**
     * @generated from field: bool would_accept = 1;
     */
    wouldAccept: boolean;
    /**
     * @generated from field: string error = 2;
     */
    error: string;
    /**
     * @generated from field: string error_stage = 3;
     */
    errorStage: string;
    /**
     * @generated from field: string code = 100;
     */
    code: string;
};
/**
 * Describes the message makechain.DryRunMessageResponse.
 * Use `create(DryRunMessageResponseSchema)` to create a new message.
 */
export declare const DryRunMessageResponseSchema: GenMessage<DryRunMessageResponse>;
/**
 * @generated from enum makechain.SubmitWait
 */
export declare enum SubmitWait {
    /**
     * @generated from enum value: SUBMIT_WAIT_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: SUBMIT_WAIT_COMMITTED = 1;
     */
    COMMITTED = 1
}
/**
 * Describes the enum makechain.SubmitWait.
 */
export declare const SubmitWaitSchema: GenEnum<SubmitWait>;
