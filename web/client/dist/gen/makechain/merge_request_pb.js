// Merge requests: requests to merge a fork's ref into a project.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/merge_request.proto.
 */
export const file_makechain_merge_request = /*@__PURE__*/ fileDesc("Ch1tYWtlY2hhaW4vbWVyZ2VfcmVxdWVzdC5wcm90bxIJbWFrZWNoYWluIqkBChNNZXJnZVJlcXVlc3RBZGRCb2R5EhIKCnByb2plY3RfaWQYASABKAwSGQoRc291cmNlX3Byb2plY3RfaWQYAiABKAwSEgoKc291cmNlX3JlZhgDIAEoDBIaChJzb3VyY2VfY29tbWl0X2hhc2gYBCABKAwSEgoKdGFyZ2V0X3JlZhgFIAEoDBINCgV0aXRsZRgGIAEoCRIQCghyZXBsYWNlcxhkIAEoDCKHAQoWTWVyZ2VSZXF1ZXN0UmVtb3ZlQm9keRISCgpwcm9qZWN0X2lkGAEgASgMEhIKCnJlcXVlc3RfaWQYAiABKAwSLwoHb3V0Y29tZRhkIAEoDjIeLm1ha2VjaGFpbi5NZXJnZVJlcXVlc3RPdXRjb21lEhQKDG1lcmdlX2NvbW1pdBhlIAEoDCrNAQoTTWVyZ2VSZXF1ZXN0T3V0Y29tZRIlCiFNRVJHRV9SRVFVRVNUX09VVENPTUVfVU5TUEVDSUZJRUQQABIgChxNRVJHRV9SRVFVRVNUX09VVENPTUVfTUVSR0VEEAESIgoeTUVSR0VfUkVRVUVTVF9PVVRDT01FX0RFQ0xJTkVEEAISIwofTUVSR0VfUkVRVUVTVF9PVVRDT01FX1dJVEhEUkFXThADEiQKIE1FUkdFX1JFUVVFU1RfT1VUQ09NRV9TVVBFUlNFREVEEARCJVojbWFrZWNoYWluL2dlbi9tYWtlY2hhaW47bWFrZWNoYWlucGJiBnByb3RvMw");
/**
 * Describes the message makechain.MergeRequestAddBody.
 * Use `create(MergeRequestAddBodySchema)` to create a new message.
 */
export const MergeRequestAddBodySchema = /*@__PURE__*/ messageDesc(file_makechain_merge_request, 0);
/**
 * Describes the message makechain.MergeRequestRemoveBody.
 * Use `create(MergeRequestRemoveBodySchema)` to create a new message.
 */
export const MergeRequestRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_merge_request, 1);
/**
 * @generated from enum makechain.MergeRequestOutcome
 */
export var MergeRequestOutcome;
(function (MergeRequestOutcome) {
    /**
     * The request is open; in a message: WITHDRAWN by the requester, else DECLINED.
     *
     * @generated from enum value: MERGE_REQUEST_OUTCOME_UNSPECIFIED = 0;
     */
    MergeRequestOutcome[MergeRequestOutcome["UNSPECIFIED"] = 0] = "UNSPECIFIED";
    /**
     * @generated from enum value: MERGE_REQUEST_OUTCOME_MERGED = 1;
     */
    MergeRequestOutcome[MergeRequestOutcome["MERGED"] = 1] = "MERGED";
    /**
     * @generated from enum value: MERGE_REQUEST_OUTCOME_DECLINED = 2;
     */
    MergeRequestOutcome[MergeRequestOutcome["DECLINED"] = 2] = "DECLINED";
    /**
     * @generated from enum value: MERGE_REQUEST_OUTCOME_WITHDRAWN = 3;
     */
    MergeRequestOutcome[MergeRequestOutcome["WITHDRAWN"] = 3] = "WITHDRAWN";
    /**
     * Replaced by a newer request of the requester; not valid in a message.
     *
     * @generated from enum value: MERGE_REQUEST_OUTCOME_SUPERSEDED = 4;
     */
    MergeRequestOutcome[MergeRequestOutcome["SUPERSEDED"] = 4] = "SUPERSEDED";
})(MergeRequestOutcome || (MergeRequestOutcome = {}));
/**
 * Describes the enum makechain.MergeRequestOutcome.
 */
export const MergeRequestOutcomeSchema = /*@__PURE__*/ enumDesc(file_makechain_merge_request, 0);
