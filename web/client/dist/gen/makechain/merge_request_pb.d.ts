import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/merge_request.proto.
 */
export declare const file_makechain_merge_request: GenFile;
/**
 * MergeRequestAddBody opens a merge request. The message's hash becomes its id.
 *
 * @generated from message makechain.MergeRequestAddBody
 */
export type MergeRequestAddBody = Message<"makechain.MergeRequestAddBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes source_project_id = 2;
     */
    sourceProjectId: Uint8Array;
    /**
     * @generated from field: bytes source_ref = 3;
     */
    sourceRef: Uint8Array;
    /**
     * @generated from field: bytes source_commit_hash = 4;
     */
    sourceCommitHash: Uint8Array;
    /**
     * @generated from field: bytes target_ref = 5;
     */
    targetRef: Uint8Array;
    /**
     * @generated from field: string title = 6;
     */
    title: string;
    /**
     * Empty, or the id of an open merge request of the same requester, which is closed as superseded.
     *
     * @generated from field: bytes replaces = 100;
     */
    replaces: Uint8Array;
};
/**
 * Describes the message makechain.MergeRequestAddBody.
 * Use `create(MergeRequestAddBodySchema)` to create a new message.
 */
export declare const MergeRequestAddBodySchema: GenMessage<MergeRequestAddBody>;
/**
 * MergeRequestRemoveBody withdraws or closes a merge request.
 *
 * @generated from message makechain.MergeRequestRemoveBody
 */
export type MergeRequestRemoveBody = Message<"makechain.MergeRequestRemoveBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes request_id = 2;
     */
    requestId: Uint8Array;
    /**
     * @generated from field: makechain.MergeRequestOutcome outcome = 100;
     */
    outcome: MergeRequestOutcome;
    /**
     * For MERGED: the commit of the target that contains the change; empty means the source commit.
     *
     * @generated from field: bytes merge_commit = 101;
     */
    mergeCommit: Uint8Array;
};
/**
 * Describes the message makechain.MergeRequestRemoveBody.
 * Use `create(MergeRequestRemoveBodySchema)` to create a new message.
 */
export declare const MergeRequestRemoveBodySchema: GenMessage<MergeRequestRemoveBody>;
/**
 * @generated from enum makechain.MergeRequestOutcome
 */
export declare enum MergeRequestOutcome {
    /**
     * The request is open; in a message: WITHDRAWN by the requester, else DECLINED.
     *
     * @generated from enum value: MERGE_REQUEST_OUTCOME_UNSPECIFIED = 0;
     */
    UNSPECIFIED = 0,
    /**
     * @generated from enum value: MERGE_REQUEST_OUTCOME_MERGED = 1;
     */
    MERGED = 1,
    /**
     * @generated from enum value: MERGE_REQUEST_OUTCOME_DECLINED = 2;
     */
    DECLINED = 2,
    /**
     * @generated from enum value: MERGE_REQUEST_OUTCOME_WITHDRAWN = 3;
     */
    WITHDRAWN = 3,
    /**
     * Replaced by a newer request of the requester; not valid in a message.
     *
     * @generated from enum value: MERGE_REQUEST_OUTCOME_SUPERSEDED = 4;
     */
    SUPERSEDED = 4
}
/**
 * Describes the enum makechain.MergeRequestOutcome.
 */
export declare const MergeRequestOutcomeSchema: GenEnum<MergeRequestOutcome>;
