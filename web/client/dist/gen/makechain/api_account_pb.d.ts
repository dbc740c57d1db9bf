import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { VerificationType } from "./account_pb.js";
import type { MessageEntry } from "./api_message_pb.js";
import type { CustodyKeyStatus, CustodySignatureType, KeyScope } from "./custody_pb.js";
import type { MessageType } from "./message_pb.js";
import type { LinkType, ReactionType } from "./social_pb.js";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/api_account.proto.
 */
export declare const file_makechain_api_account: GenFile;
/**
 * @generated from message makechain.GetAccountRequest
 */
export type GetAccountRequest = Message<"makechain.GetAccountRequest"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.GetAccountRequest.
 * Use `create(GetAccountRequestSchema)` to create a new message.
 */
export declare const GetAccountRequestSchema: GenMessage<GetAccountRequest>;
/**
 * @generated from message makechain.GetAccountByKeyRequest
 */
export type GetAccountByKeyRequest = Message<"makechain.GetAccountByKeyRequest"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
};
/**
 * Describes the message makechain.GetAccountByKeyRequest.
 * Use `create(GetAccountByKeyRequestSchema)` to create a new message.
 */
export declare const GetAccountByKeyRequestSchema: GenMessage<GetAccountByKeyRequest>;
/**
 * @generated from message makechain.GetAccountResponse
 */
export type GetAccountResponse = Message<"makechain.GetAccountResponse"> & {
    /**
     * @generated from field: string display_name = 1;
     */
    displayName: string;
    /**
     * @generated from field: string avatar = 2;
     */
    avatar: string;
    /**
     * @generated from field: string bio = 3;
     */
    bio: string;
    /**
     * @generated from field: string website = 4;
     */
    website: string;
    /**
     * @generated from field: repeated makechain.KeyEntry keys = 5;
     */
    keys: KeyEntry[];
    /**
     * @generated from field: uint32 storage_units = 6;
     */
    storageUnits: number;
    /**
     * @generated from field: uint32 project_count = 7;
     */
    projectCount: number;
    /**
     * @generated from field: repeated makechain.VerificationEntry verifications = 8;
     */
    verifications: VerificationEntry[];
    /**
     * @generated from field: bytes owner_address = 9;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: uint32 link_count = 10;
     */
    linkCount: number;
    /**
     * @generated from field: uint32 reaction_count = 11;
     */
    reactionCount: number;
    /**
     * @generated from field: uint64 custody_nonce = 12;
     */
    custodyNonce: bigint;
    /**
     * @generated from field: uint32 max_projects = 13;
     */
    maxProjects: number;
    /**
     * @generated from field: uint32 max_links = 14;
     */
    maxLinks: number;
    /**
     * @generated from field: uint32 max_verifications = 15;
     */
    maxVerifications: number;
    /**
     * @generated from field: uint32 max_reactions = 16;
     */
    maxReactions: number;
    /**
     * @generated from field: uint32 max_collaborators_per_project = 17;
     */
    maxCollaboratorsPerProject: number;
    /**
     * @generated from field: uint32 max_merge_requests_per_requester = 18;
     */
    maxMergeRequestsPerRequester: number;
    /**
     * @generated from field: uint32 max_merge_requests_per_project = 19;
     */
    maxMergeRequestsPerProject: number;
    /**
     * @generated from field: string username = 20;
     */
    username: string;
    /**
     * @generated from field: uint32 key_count = 21;
     */
    keyCount: number;
    /**
     * @generated from field: uint32 verification_count = 22;
     */
    verificationCount: number;
    /**
     * @generated from field: uint32 username_last_set_at = 23;
     */
    usernameLastSetAt: number;
    /**
     * @generated from field: uint32 username_update_available_at = 24;
     */
    usernameUpdateAvailableAt: number;
    /**
     * @generated from field: repeated makechain.CustodyKeyEntry custody_keys = 25;
     */
    custodyKeys: CustodyKeyEntry[];
};
/**
 * Describes the message makechain.GetAccountResponse.
 * Use `create(GetAccountResponseSchema)` to create a new message.
 */
export declare const GetAccountResponseSchema: GenMessage<GetAccountResponse>;
/**
 * @generated from message makechain.AccountSummary
 */
export type AccountSummary = Message<"makechain.AccountSummary"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: string username = 2;
     */
    username: string;
    /**
     * @generated from field: string display_name = 3;
     */
    displayName: string;
    /**
     * @generated from field: string avatar = 4;
     */
    avatar: string;
    /**
     * @generated from field: uint32 storage_units = 5;
     */
    storageUnits: number;
    /**
     * @generated from field: uint32 project_count = 6;
     */
    projectCount: number;
    /**
     * @generated from field: uint32 key_count = 7;
     */
    keyCount: number;
    /**
     * @generated from field: uint32 verification_count = 8;
     */
    verificationCount: number;
    /**
     * @generated from field: uint32 link_count = 9;
     */
    linkCount: number;
    /**
     * @generated from field: uint32 reaction_count = 10;
     */
    reactionCount: number;
};
/**
 * Describes the message makechain.AccountSummary.
 * Use `create(AccountSummarySchema)` to create a new message.
 */
export declare const AccountSummarySchema: GenMessage<AccountSummary>;
/**
 * @generated from message makechain.SearchAccountsRequest
 */
export type SearchAccountsRequest = Message<"makechain.SearchAccountsRequest"> & {
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
};
/**
 * Describes the message makechain.SearchAccountsRequest.
 * Use `create(SearchAccountsRequestSchema)` to create a new message.
 */
export declare const SearchAccountsRequestSchema: GenMessage<SearchAccountsRequest>;
/**
 * @generated from message makechain.ListAccountsRequest
 */
export type ListAccountsRequest = Message<"makechain.ListAccountsRequest"> & {
    /**
     * @generated from field: uint32 limit = 1;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 2;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.ListAccountsRequest.
 * Use `create(ListAccountsRequestSchema)` to create a new message.
 */
export declare const ListAccountsRequestSchema: GenMessage<ListAccountsRequest>;
/**
 * @generated from message makechain.ListAccountsResponse
 */
export type ListAccountsResponse = Message<"makechain.ListAccountsResponse"> & {
    /**
     * @generated from field: repeated makechain.AccountSummary accounts = 1;
     */
    accounts: AccountSummary[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListAccountsResponse.
 * Use `create(ListAccountsResponseSchema)` to create a new message.
 */
export declare const ListAccountsResponseSchema: GenMessage<ListAccountsResponse>;
/**
 * GetAccountActivityRequest asks for the messages of an account, newest first.
 *
 * @generated from message makechain.GetAccountActivityRequest
 */
export type GetAccountActivityRequest = Message<"makechain.GetAccountActivityRequest"> & {
    /**
     * @generated from field: uint32 limit = 1;
     */
    limit: number;
    /**
     * @generated from field: repeated makechain.MessageType types = 2;
     */
    types: MessageType[];
    /**
     * @generated from field: bytes owner_address = 3;
     */
    ownerAddress: Uint8Array;
    /**
     * next_cursor of the previous page, whose other parameters must be repeated; empty for the first page.
     *
     * @generated from field: bytes cursor = 100;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.GetAccountActivityRequest.
 * Use `create(GetAccountActivityRequestSchema)` to create a new message.
 */
export declare const GetAccountActivityRequestSchema: GenMessage<GetAccountActivityRequest>;
/**
 * @generated from message makechain.GetAccountActivityResponse
 */
export type GetAccountActivityResponse = Message<"makechain.GetAccountActivityResponse"> & {
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
 * Describes the message makechain.GetAccountActivityResponse.
 * Use `create(GetAccountActivityResponseSchema)` to create a new message.
 */
export declare const GetAccountActivityResponseSchema: GenMessage<GetAccountActivityResponse>;
/**
 * @generated from message makechain.KeyEntry
 */
export type KeyEntry = Message<"makechain.KeyEntry"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: makechain.KeyScope scope = 2;
     */
    scope: KeyScope;
    /**
     * @generated from field: repeated bytes allowed_projects = 3;
     */
    allowedProjects: Uint8Array[];
    /**
     * @generated from field: bytes request_owner_address = 4;
     */
    requestOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.KeyEntry.
 * Use `create(KeyEntrySchema)` to create a new message.
 */
export declare const KeyEntrySchema: GenMessage<KeyEntry>;
/**
 * @generated from message makechain.GetKeyRequest
 */
export type GetKeyRequest = Message<"makechain.GetKeyRequest"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: bytes owner_address = 2;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.GetKeyRequest.
 * Use `create(GetKeyRequestSchema)` to create a new message.
 */
export declare const GetKeyRequestSchema: GenMessage<GetKeyRequest>;
/**
 * @generated from message makechain.GetKeyResponse
 */
export type GetKeyResponse = Message<"makechain.GetKeyResponse"> & {
    /**
     * @generated from field: bytes key = 1;
     */
    key: Uint8Array;
    /**
     * @generated from field: makechain.KeyScope scope = 2;
     */
    scope: KeyScope;
    /**
     * @generated from field: repeated bytes allowed_projects = 3;
     */
    allowedProjects: Uint8Array[];
    /**
     * @generated from field: uint32 added_at = 4;
     */
    addedAt: number;
    /**
     * @generated from field: bytes request_owner_address = 5;
     */
    requestOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.GetKeyResponse.
 * Use `create(GetKeyResponseSchema)` to create a new message.
 */
export declare const GetKeyResponseSchema: GenMessage<GetKeyResponse>;
/**
 * @generated from message makechain.ListKeysRequest
 */
export type ListKeysRequest = Message<"makechain.ListKeysRequest"> & {
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
 * Describes the message makechain.ListKeysRequest.
 * Use `create(ListKeysRequestSchema)` to create a new message.
 */
export declare const ListKeysRequestSchema: GenMessage<ListKeysRequest>;
/**
 * @generated from message makechain.ListKeysResponse
 */
export type ListKeysResponse = Message<"makechain.ListKeysResponse"> & {
    /**
     * @generated from field: repeated makechain.GetKeyResponse keys = 1;
     */
    keys: GetKeyResponse[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListKeysResponse.
 * Use `create(ListKeysResponseSchema)` to create a new message.
 */
export declare const ListKeysResponseSchema: GenMessage<ListKeysResponse>;
/**
 * @generated from message makechain.CustodyKeyEntry
 */
export type CustodyKeyEntry = Message<"makechain.CustodyKeyEntry"> & {
    /**
     * @generated from field: bytes key_id = 1;
     */
    keyId: Uint8Array;
    /**
     * @generated from field: makechain.CustodySignatureType signature_type = 2;
     */
    signatureType: CustodySignatureType;
    /**
     * @generated from field: bytes public_key = 3;
     */
    publicKey: Uint8Array;
    /**
     * @generated from field: bool admin = 4;
     */
    admin: boolean;
    /**
     * @generated from field: uint64 expires_at = 5;
     */
    expiresAt: bigint;
    /**
     * @generated from field: uint32 added_at = 6;
     */
    addedAt: number;
    /**
     * @generated from field: uint32 revoked_at = 7;
     */
    revokedAt: number;
    /**
     * @generated from field: makechain.CustodyKeyStatus status = 8;
     */
    status: CustodyKeyStatus;
};
/**
 * Describes the message makechain.CustodyKeyEntry.
 * Use `create(CustodyKeyEntrySchema)` to create a new message.
 */
export declare const CustodyKeyEntrySchema: GenMessage<CustodyKeyEntry>;
/**
 * @generated from message makechain.GetCustodyKeyRequest
 */
export type GetCustodyKeyRequest = Message<"makechain.GetCustodyKeyRequest"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
    /**
     * @generated from field: bytes key_id = 2;
     */
    keyId: Uint8Array;
};
/**
 * Describes the message makechain.GetCustodyKeyRequest.
 * Use `create(GetCustodyKeyRequestSchema)` to create a new message.
 */
export declare const GetCustodyKeyRequestSchema: GenMessage<GetCustodyKeyRequest>;
/**
 * @generated from message makechain.GetCustodyKeyResponse
 */
export type GetCustodyKeyResponse = Message<"makechain.GetCustodyKeyResponse"> & {
    /**
     * @generated from field: makechain.CustodyKeyEntry custody_key = 1;
     */
    custodyKey?: CustodyKeyEntry | undefined;
};
/**
 * Describes the message makechain.GetCustodyKeyResponse.
 * Use `create(GetCustodyKeyResponseSchema)` to create a new message.
 */
export declare const GetCustodyKeyResponseSchema: GenMessage<GetCustodyKeyResponse>;
/**
 * @generated from message makechain.ListCustodyKeysRequest
 */
export type ListCustodyKeysRequest = Message<"makechain.ListCustodyKeysRequest"> & {
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
 * Describes the message makechain.ListCustodyKeysRequest.
 * Use `create(ListCustodyKeysRequestSchema)` to create a new message.
 */
export declare const ListCustodyKeysRequestSchema: GenMessage<ListCustodyKeysRequest>;
/**
 * @generated from message makechain.ListCustodyKeysResponse
 */
export type ListCustodyKeysResponse = Message<"makechain.ListCustodyKeysResponse"> & {
    /**
     * @generated from field: repeated makechain.CustodyKeyEntry custody_keys = 1;
     */
    custodyKeys: CustodyKeyEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListCustodyKeysResponse.
 * Use `create(ListCustodyKeysResponseSchema)` to create a new message.
 */
export declare const ListCustodyKeysResponseSchema: GenMessage<ListCustodyKeysResponse>;
/**
 * @generated from message makechain.VerificationEntry
 */
export type VerificationEntry = Message<"makechain.VerificationEntry"> & {
    /**
     * @generated from field: makechain.VerificationType verification_type = 1;
     */
    verificationType: VerificationType;
    /**
     * @generated from field: bytes address = 2;
     */
    address: Uint8Array;
    /**
     * @generated from field: bytes chain_id = 3;
     */
    chainId: Uint8Array;
    /**
     * @generated from field: uint32 added_at = 100;
     */
    addedAt: number;
};
/**
 * Describes the message makechain.VerificationEntry.
 * Use `create(VerificationEntrySchema)` to create a new message.
 */
export declare const VerificationEntrySchema: GenMessage<VerificationEntry>;
/**
 * @generated from message makechain.ListVerificationsRequest
 */
export type ListVerificationsRequest = Message<"makechain.ListVerificationsRequest"> & {
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
 * Describes the message makechain.ListVerificationsRequest.
 * Use `create(ListVerificationsRequestSchema)` to create a new message.
 */
export declare const ListVerificationsRequestSchema: GenMessage<ListVerificationsRequest>;
/**
 * @generated from message makechain.ListVerificationsResponse
 */
export type ListVerificationsResponse = Message<"makechain.ListVerificationsResponse"> & {
    /**
     * @generated from field: repeated makechain.VerificationEntry verifications = 1;
     */
    verifications: VerificationEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListVerificationsResponse.
 * Use `create(ListVerificationsResponseSchema)` to create a new message.
 */
export declare const ListVerificationsResponseSchema: GenMessage<ListVerificationsResponse>;
/**
 * @generated from message makechain.LinkEntry
 */
export type LinkEntry = Message<"makechain.LinkEntry"> & {
    /**
     * @generated from field: makechain.LinkType link_type = 1;
     */
    linkType: LinkType;
    /**
     * @generated from field: bytes target_project_id = 2;
     */
    targetProjectId: Uint8Array;
    /**
     * @generated from field: uint32 added_at = 3;
     */
    addedAt: number;
    /**
     * @generated from field: bytes target_owner_address = 4;
     */
    targetOwnerAddress: Uint8Array;
    /**
     * @generated from field: bytes source_owner_address = 5;
     */
    sourceOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.LinkEntry.
 * Use `create(LinkEntrySchema)` to create a new message.
 */
export declare const LinkEntrySchema: GenMessage<LinkEntry>;
/**
 * @generated from message makechain.ListLinksRequest
 */
export type ListLinksRequest = Message<"makechain.ListLinksRequest"> & {
    /**
     * @generated from field: makechain.LinkType link_type = 1;
     */
    linkType: LinkType;
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
 * Describes the message makechain.ListLinksRequest.
 * Use `create(ListLinksRequestSchema)` to create a new message.
 */
export declare const ListLinksRequestSchema: GenMessage<ListLinksRequest>;
/**
 * @generated from message makechain.ListLinksResponse
 */
export type ListLinksResponse = Message<"makechain.ListLinksResponse"> & {
    /**
     * @generated from field: repeated makechain.LinkEntry links = 1;
     */
    links: LinkEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListLinksResponse.
 * Use `create(ListLinksResponseSchema)` to create a new message.
 */
export declare const ListLinksResponseSchema: GenMessage<ListLinksResponse>;
/**
 * @generated from message makechain.ListLinksByTargetRequest
 */
export type ListLinksByTargetRequest = Message<"makechain.ListLinksByTargetRequest"> & {
    /**
     * @generated from field: makechain.LinkType link_type = 1;
     */
    linkType: LinkType;
    /**
     * @generated from oneof makechain.ListLinksByTargetRequest.target
     */
    target: {
        /**
         * @generated from field: bytes target_project_id = 2;
         */
        value: Uint8Array;
        case: "targetProjectId";
    } | {
        case: undefined;
        value?: undefined;
    };
    /**
     * @generated from field: uint32 limit = 3;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 4;
     */
    cursor: Uint8Array;
    /**
     * @generated from field: bytes target_owner_address = 5;
     */
    targetOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.ListLinksByTargetRequest.
 * Use `create(ListLinksByTargetRequestSchema)` to create a new message.
 */
export declare const ListLinksByTargetRequestSchema: GenMessage<ListLinksByTargetRequest>;
/**
 * @generated from message makechain.ListLinksByTargetResponse
 */
export type ListLinksByTargetResponse = Message<"makechain.ListLinksByTargetResponse"> & {
    /**
     * @generated from field: repeated makechain.LinkEntry links = 1;
     */
    links: LinkEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListLinksByTargetResponse.
 * Use `create(ListLinksByTargetResponseSchema)` to create a new message.
 */
export declare const ListLinksByTargetResponseSchema: GenMessage<ListLinksByTargetResponse>;
/**
 * @generated from message makechain.ReactionEntry
 */
export type ReactionEntry = Message<"makechain.ReactionEntry"> & {
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
    /**
     * @generated from field: uint32 added_at = 4;
     */
    addedAt: number;
    /**
     * @generated from field: bytes source_owner_address = 5;
     */
    sourceOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.ReactionEntry.
 * Use `create(ReactionEntrySchema)` to create a new message.
 */
export declare const ReactionEntrySchema: GenMessage<ReactionEntry>;
/**
 * @generated from message makechain.ListReactionsRequest
 */
export type ListReactionsRequest = Message<"makechain.ListReactionsRequest"> & {
    /**
     * @generated from field: makechain.ReactionType reaction_type = 1;
     */
    reactionType: ReactionType;
    /**
     * @generated from field: bytes target_project_id = 2;
     */
    targetProjectId: Uint8Array;
    /**
     * @generated from field: uint32 limit = 3;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 4;
     */
    cursor: Uint8Array;
    /**
     * @generated from field: bytes owner_address = 5;
     */
    ownerAddress: Uint8Array;
};
/**
 * Describes the message makechain.ListReactionsRequest.
 * Use `create(ListReactionsRequestSchema)` to create a new message.
 */
export declare const ListReactionsRequestSchema: GenMessage<ListReactionsRequest>;
/**
 * @generated from message makechain.ListReactionsResponse
 */
export type ListReactionsResponse = Message<"makechain.ListReactionsResponse"> & {
    /**
     * @generated from field: repeated makechain.ReactionEntry reactions = 1;
     */
    reactions: ReactionEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListReactionsResponse.
 * Use `create(ListReactionsResponseSchema)` to create a new message.
 */
export declare const ListReactionsResponseSchema: GenMessage<ListReactionsResponse>;
/**
 * @generated from message makechain.ListReactionsByTargetRequest
 */
export type ListReactionsByTargetRequest = Message<"makechain.ListReactionsByTargetRequest"> & {
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
    /**
     * @generated from field: uint32 limit = 4;
     */
    limit: number;
    /**
     * @generated from field: bytes cursor = 5;
     */
    cursor: Uint8Array;
};
/**
 * Describes the message makechain.ListReactionsByTargetRequest.
 * Use `create(ListReactionsByTargetRequestSchema)` to create a new message.
 */
export declare const ListReactionsByTargetRequestSchema: GenMessage<ListReactionsByTargetRequest>;
/**
 * @generated from message makechain.ListReactionsByTargetResponse
 */
export type ListReactionsByTargetResponse = Message<"makechain.ListReactionsByTargetResponse"> & {
    /**
     * @generated from field: repeated makechain.ReactionEntry reactions = 1;
     */
    reactions: ReactionEntry[];
    /**
     * @generated from field: bytes next_cursor = 2;
     */
    nextCursor: Uint8Array;
};
/**
 * Describes the message makechain.ListReactionsByTargetResponse.
 * Use `create(ListReactionsByTargetResponseSchema)` to create a new message.
 */
export declare const ListReactionsByTargetResponseSchema: GenMessage<ListReactionsByTargetResponse>;
