import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { AccountDataBody, UsernameCreateBody, UsernameUpdateBody, VerificationAddBody, VerificationRemoveBody } from "./account_pb.js";
import type { CollaboratorAddBody, CollaboratorRemoveBody } from "./collaborator_pb.js";
import type { CommitBundleBody } from "./commit_pb.js";
import type { KeychainAuthorizeBody, KeychainRevokeBody, SignerAddBody, SignerRemoveBody } from "./custody_pb.js";
import type { MergeRequestAddBody, MergeRequestRemoveBody } from "./merge_request_pb.js";
import type { ForkBody, ProjectArchiveBody, ProjectCreateBody, ProjectMetadataBody, ProjectRemoveBody } from "./project_pb.js";
import type { RefDeleteBody, RefUpdateBody } from "./ref_pb.js";
import type { LinkAddBody, LinkRemoveBody, ReactionAddBody, ReactionRemoveBody } from "./social_pb.js";
import type { StorageClaimBody } from "./storage_pb.js";
import type { Message as Message$1 } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/message.proto.
 */
export declare const file_makechain_message: GenFile;
/**
 * Message is one signed write. The signature is over the hash of the canonical encoding of
 * data.
 *
 * @generated from message makechain.Message
 */
export type Message = Message$1<"makechain.Message"> & {
    /**
     * @generated from field: makechain.MessageData data = 1;
     */
    data?: MessageData | undefined;
    /**
     * @generated from field: bytes hash = 2;
     */
    hash: Uint8Array;
    /**
     * @generated from field: bytes signature = 3;
     */
    signature: Uint8Array;
    /**
     * @generated from field: bytes signer = 4;
     */
    signer: Uint8Array;
    /**
     * When present, must equal the canonical encoding of data. It is not hashed itself.
     *
     * @generated from field: optional bytes data_bytes = 5;
     */
    dataBytes?: Uint8Array | undefined;
    /**
     * Set by a node on messages it serves; never hashed, ignored on submission.
     *
     * @generated from field: uint64 block_number = 100;
     */
    blockNumber: bigint;
    /**
     * Index in the block, over all its messages; set like block_number.
     *
     * @generated from field: uint32 index = 101;
     */
    index: number;
};
/**
 * Describes the message makechain.Message.
 * Use `create(MessageSchema)` to create a new message.
 */
export declare const MessageSchema: GenMessage<Message>;
/**
 * MessageData is the part that is hashed: author, time, network and exactly one body.
 *
 * @generated from message makechain.MessageData
 */
export type MessageData = Message$1<"makechain.MessageData"> & {
    /**
     * @generated from field: makechain.MessageType type = 1;
     */
    type: MessageType;
    /**
     * Unix seconds.
     *
     * @generated from field: uint32 timestamp = 2;
     */
    timestamp: number;
    /**
     * @generated from field: makechain.Network network = 3;
     */
    network: Network;
    /**
     * @generated from field: bytes owner_address = 4;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from oneof makechain.MessageData.body
     */
    body: {
        /**
         * @generated from field: makechain.ProjectCreateBody project_create = 5;
         */
        value: ProjectCreateBody;
        case: "projectCreate";
    } | {
        /**
         * @generated from field: makechain.ProjectMetadataBody project_metadata = 6;
         */
        value: ProjectMetadataBody;
        case: "projectMetadata";
    } | {
        /**
         * @generated from field: makechain.ProjectArchiveBody project_archive = 7;
         */
        value: ProjectArchiveBody;
        case: "projectArchive";
    } | {
        /**
         * @generated from field: makechain.ForkBody fork = 8;
         */
        value: ForkBody;
        case: "fork";
    } | {
        /**
         * @generated from field: makechain.ProjectRemoveBody project_remove = 9;
         */
        value: ProjectRemoveBody;
        case: "projectRemove";
    } | {
        /**
         * @generated from field: makechain.RefUpdateBody ref_update = 10;
         */
        value: RefUpdateBody;
        case: "refUpdate";
    } | {
        /**
         * @generated from field: makechain.RefDeleteBody ref_delete = 11;
         */
        value: RefDeleteBody;
        case: "refDelete";
    } | {
        /**
         * @generated from field: makechain.CommitBundleBody commit_bundle = 12;
         */
        value: CommitBundleBody;
        case: "commitBundle";
    } | {
        /**
         * @generated from field: makechain.CollaboratorAddBody collaborator_add = 13;
         */
        value: CollaboratorAddBody;
        case: "collaboratorAdd";
    } | {
        /**
         * @generated from field: makechain.CollaboratorRemoveBody collaborator_remove = 14;
         */
        value: CollaboratorRemoveBody;
        case: "collaboratorRemove";
    } | {
        /**
         * @generated from field: makechain.AccountDataBody account_data = 15;
         */
        value: AccountDataBody;
        case: "accountData";
    } | {
        /**
         * @generated from field: makechain.VerificationAddBody verification_add = 16;
         */
        value: VerificationAddBody;
        case: "verificationAdd";
    } | {
        /**
         * @generated from field: makechain.VerificationRemoveBody verification_remove = 17;
         */
        value: VerificationRemoveBody;
        case: "verificationRemove";
    } | {
        /**
         * @generated from field: makechain.StorageClaimBody storage_claim = 18;
         */
        value: StorageClaimBody;
        case: "storageClaim";
    } | {
        /**
         * @generated from field: makechain.UsernameCreateBody username_create = 19;
         */
        value: UsernameCreateBody;
        case: "usernameCreate";
    } | {
        /**
         * @generated from field: makechain.UsernameUpdateBody username_update = 20;
         */
        value: UsernameUpdateBody;
        case: "usernameUpdate";
    } | {
        /**
         * @generated from field: makechain.LinkAddBody link_add = 21;
         */
        value: LinkAddBody;
        case: "linkAdd";
    } | {
        /**
         * @generated from field: makechain.LinkRemoveBody link_remove = 22;
         */
        value: LinkRemoveBody;
        case: "linkRemove";
    } | {
        /**
         * @generated from field: makechain.ReactionAddBody reaction_add = 23;
         */
        value: ReactionAddBody;
        case: "reactionAdd";
    } | {
        /**
         * @generated from field: makechain.ReactionRemoveBody reaction_remove = 24;
         */
        value: ReactionRemoveBody;
        case: "reactionRemove";
    } | {
        /**
         * @generated from field: makechain.SignerAddBody signer_add = 25;
         */
        value: SignerAddBody;
        case: "signerAdd";
    } | {
        /**
         * @generated from field: makechain.SignerRemoveBody signer_remove = 26;
         */
        value: SignerRemoveBody;
        case: "signerRemove";
    } | {
        /**
         * @generated from field: makechain.MergeRequestAddBody merge_request_add = 27;
         */
        value: MergeRequestAddBody;
        case: "mergeRequestAdd";
    } | {
        /**
         * @generated from field: makechain.MergeRequestRemoveBody merge_request_remove = 28;
         */
        value: MergeRequestRemoveBody;
        case: "mergeRequestRemove";
    } | {
        /**
         * @generated from field: makechain.KeychainAuthorizeBody keychain_authorize = 29;
         */
        value: KeychainAuthorizeBody;
        case: "keychainAuthorize";
    } | {
        /**
         * @generated from field: makechain.KeychainRevokeBody keychain_revoke = 30;
         */
        value: KeychainRevokeBody;
        case: "keychainRevoke";
    } | {
        case: undefined;
        value?: undefined;
    };
};
/**
 * Describes the message makechain.MessageData.
 * Use `create(MessageDataSchema)` to create a new message.
 */
export declare const MessageDataSchema: GenMessage<MessageData>;
/**
 * @generated from enum makechain.MessageType
 */
export declare enum MessageType {
    /**
     * @generated from enum value: MESSAGE_TYPE_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_CREATE = 1;
     */
    PROJECT_CREATE = 1,
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_METADATA = 2;
     */
    PROJECT_METADATA = 2,
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_ARCHIVE = 3;
     */
    PROJECT_ARCHIVE = 3,
    /**
     * @generated from enum value: MESSAGE_TYPE_FORK = 4;
     */
    FORK = 4,
    /**
     * @generated from enum value: MESSAGE_TYPE_PROJECT_REMOVE = 5;
     */
    PROJECT_REMOVE = 5,
    /**
     * @generated from enum value: MESSAGE_TYPE_REF_UPDATE = 6;
     */
    REF_UPDATE = 6,
    /**
     * @generated from enum value: MESSAGE_TYPE_REF_DELETE = 7;
     */
    REF_DELETE = 7,
    /**
     * @generated from enum value: MESSAGE_TYPE_SIGNER_ADD = 8;
     */
    SIGNER_ADD = 8,
    /**
     * @generated from enum value: MESSAGE_TYPE_SIGNER_REMOVE = 9;
     */
    SIGNER_REMOVE = 9,
    /**
     * @generated from enum value: MESSAGE_TYPE_COMMIT_BUNDLE = 10;
     */
    COMMIT_BUNDLE = 10,
    /**
     * @generated from enum value: MESSAGE_TYPE_COLLABORATOR_ADD = 11;
     */
    COLLABORATOR_ADD = 11,
    /**
     * @generated from enum value: MESSAGE_TYPE_COLLABORATOR_REMOVE = 12;
     */
    COLLABORATOR_REMOVE = 12,
    /**
     * @generated from enum value: MESSAGE_TYPE_ACCOUNT_DATA = 13;
     */
    ACCOUNT_DATA = 13,
    /**
     * @generated from enum value: MESSAGE_TYPE_VERIFICATION_ADD = 14;
     */
    VERIFICATION_ADD = 14,
    /**
     * @generated from enum value: MESSAGE_TYPE_VERIFICATION_REMOVE = 15;
     */
    VERIFICATION_REMOVE = 15,
    /**
     * @generated from enum value: MESSAGE_TYPE_STORAGE_CLAIM = 16;
     */
    STORAGE_CLAIM = 16,
    /**
     * @generated from enum value: MESSAGE_TYPE_USERNAME_CREATE = 17;
     */
    USERNAME_CREATE = 17,
    /**
     * @generated from enum value: MESSAGE_TYPE_USERNAME_UPDATE = 18;
     */
    USERNAME_UPDATE = 18,
    /**
     * @generated from enum value: MESSAGE_TYPE_LINK_ADD = 19;
     */
    LINK_ADD = 19,
    /**
     * @generated from enum value: MESSAGE_TYPE_LINK_REMOVE = 20;
     */
    LINK_REMOVE = 20,
    /**
     * @generated from enum value: MESSAGE_TYPE_REACTION_ADD = 21;
     */
    REACTION_ADD = 21,
    /**
     * @generated from enum value: MESSAGE_TYPE_REACTION_REMOVE = 22;
     */
    REACTION_REMOVE = 22,
    /**
     * @generated from enum value: MESSAGE_TYPE_MERGE_REQUEST_ADD = 23;
     */
    MERGE_REQUEST_ADD = 23,
    /**
     * @generated from enum value: MESSAGE_TYPE_MERGE_REQUEST_REMOVE = 24;
     */
    MERGE_REQUEST_REMOVE = 24,
    /**
     * @generated from enum value: MESSAGE_TYPE_KEYCHAIN_AUTHORIZE = 25;
     */
    KEYCHAIN_AUTHORIZE = 25,
    /**
     * @generated from enum value: MESSAGE_TYPE_KEYCHAIN_REVOKE = 26;
     */
    KEYCHAIN_REVOKE = 26
}
/**
 * Describes the enum makechain.MessageType.
 */
export declare const MessageTypeSchema: GenEnum<MessageType>;
/**
 * @generated from enum makechain.Network
 */
export declare enum Network {
    /**
     * @generated from enum value: NETWORK_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: NETWORK_MAINNET = 1;
     */
    MAINNET = 1,
    /**
     * @generated from enum value: NETWORK_TESTNET = 2;
     */
    TESTNET = 2,
    /**
     * @generated from enum value: NETWORK_DEVNET = 3;
     */
    DEVNET = 3
}
/**
 * Describes the enum makechain.Network.
 */
export declare const NetworkSchema: GenEnum<Network>;
