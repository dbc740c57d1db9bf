import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/social.proto.
 */
export declare const file_makechain_social: GenFile;
/**
 * @generated from message makechain.LinkAddBody
 */
export type LinkAddBody = Message<"makechain.LinkAddBody"> & {
    /**
     * @generated from field: makechain.LinkType link_type = 1;
     */
    linkType: LinkType;
    /**
     * @generated from oneof makechain.LinkAddBody.target
     */
    target: {
        /**
         * @generated from field: bytes target_project_id = 2;
         */
        value: Uint8Array;
        case: "targetProjectId";
    } | {
        /**
         * @generated from field: bytes target_owner_address = 3;
         */
        value: Uint8Array;
        case: "targetOwnerAddress";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message makechain.LinkAddBody.
 * Use `create(LinkAddBodySchema)` to create a new message.
 */
export declare const LinkAddBodySchema: GenMessage<LinkAddBody>;
/**
 * @generated from message makechain.LinkRemoveBody
 */
export type LinkRemoveBody = Message<"makechain.LinkRemoveBody"> & {
    /**
     * @generated from field: makechain.LinkType link_type = 1;
     */
    linkType: LinkType;
    /**
     * @generated from oneof makechain.LinkRemoveBody.target
     */
    target: {
        /**
         * @generated from field: bytes target_project_id = 2;
         */
        value: Uint8Array;
        case: "targetProjectId";
    } | {
        /**
         * @generated from field: bytes target_owner_address = 3;
         */
        value: Uint8Array;
        case: "targetOwnerAddress";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message makechain.LinkRemoveBody.
 * Use `create(LinkRemoveBodySchema)` to create a new message.
 */
export declare const LinkRemoveBodySchema: GenMessage<LinkRemoveBody>;
/**
 * @generated from message makechain.ReactionAddBody
 */
export type ReactionAddBody = Message<"makechain.ReactionAddBody"> & {
    /**
     * @generated from field: makechain.ReactionType reaction_type = 1;
     */
    reactionType: ReactionType;
    /**
     * @generated from field: bytes target_project_id = 2;
     */
    targetProjectId: Uint8Array;
    /**
     * @generated from field: bytes target_commit_hash = 3;
     */
    targetCommitHash: Uint8Array;
};
/**
 * Describes the message makechain.ReactionAddBody.
 * Use `create(ReactionAddBodySchema)` to create a new message.
 */
export declare const ReactionAddBodySchema: GenMessage<ReactionAddBody>;
/**
 * @generated from message makechain.ReactionRemoveBody
 */
export type ReactionRemoveBody = Message<"makechain.ReactionRemoveBody"> & {
    /**
     * @generated from field: makechain.ReactionType reaction_type = 1;
     */
    reactionType: ReactionType;
    /**
     * @generated from field: bytes target_project_id = 2;
     */
    targetProjectId: Uint8Array;
    /**
     * @generated from field: bytes target_commit_hash = 3;
     */
    targetCommitHash: Uint8Array;
};
/**
 * Describes the message makechain.ReactionRemoveBody.
 * Use `create(ReactionRemoveBodySchema)` to create a new message.
 */
export declare const ReactionRemoveBodySchema: GenMessage<ReactionRemoveBody>;
/**
 * @generated from enum makechain.LinkType
 */
export declare enum LinkType {
    /**
     * @generated from enum value: LINK_TYPE_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: LINK_TYPE_FOLLOW = 1;
     */
    FOLLOW = 1,
    /**
     * @generated from enum value: LINK_TYPE_STAR = 2;
     */
    STAR = 2
}
/**
 * Describes the enum makechain.LinkType.
 */
export declare const LinkTypeSchema: GenEnum<LinkType>;
/**
 * @generated from enum makechain.ReactionType
 */
export declare enum ReactionType {
    /**
     * @generated from enum value: REACTION_TYPE_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: REACTION_TYPE_LIKE = 1;
     */
    LIKE = 1
}
/**
 * Describes the enum makechain.ReactionType.
 */
export declare const ReactionTypeSchema: GenEnum<ReactionType>;
