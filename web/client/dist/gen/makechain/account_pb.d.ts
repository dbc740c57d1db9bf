import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/account.proto.
 */
export declare const file_makechain_account: GenFile;
/**
 * @generated from message makechain.AccountDataBody
 */
export type AccountDataBody = Message<"makechain.AccountDataBody"> & {
    /**
     * @generated from field: makechain.AccountDataType field = 1;
     */
    field: AccountDataType;
    /**
     * @generated from field: string value = 2;
     */
    value: string;
};
/**
 * Describes the message makechain.AccountDataBody.
 * Use `create(AccountDataBodySchema)` to create a new message.
 */
export declare const AccountDataBodySchema: GenMessage<AccountDataBody>;
/**
 * @generated from message makechain.UsernameCreateBody
 */
export type UsernameCreateBody = Message<"makechain.UsernameCreateBody"> & {
    /**
     * @generated from field: string username = 1;
     */
    username: string;
};
/**
 * Describes the message makechain.UsernameCreateBody.
 * Use `create(UsernameCreateBodySchema)` to create a new message.
 */
export declare const UsernameCreateBodySchema: GenMessage<UsernameCreateBody>;
/**
 * @generated from message makechain.UsernameUpdateBody
 */
export type UsernameUpdateBody = Message<"makechain.UsernameUpdateBody"> & {
    /**
     * @generated from field: string username = 1;
     */
    username: string;
};
/**
 * Describes the message makechain.UsernameUpdateBody.
 * Use `create(UsernameUpdateBodySchema)` to create a new message.
 */
export declare const UsernameUpdateBodySchema: GenMessage<UsernameUpdateBody>;
/**
 * @generated from message makechain.VerificationAddBody
 */
export type VerificationAddBody = Message<"makechain.VerificationAddBody"> & {
    /**
     * @generated from field: makechain.VerificationType verification_type = 1;
     */
    verificationType: VerificationType;
    /**
     * @generated from field: bytes address = 2;
     */
    address: Uint8Array;
    /**
     * @generated from field: bytes claim_signature = 3;
     */
    claimSignature: Uint8Array;
    /**
     * @generated from field: bytes chain_id = 4;
     */
    chainId: Uint8Array;
};
/**
 * Describes the message makechain.VerificationAddBody.
 * Use `create(VerificationAddBodySchema)` to create a new message.
 */
export declare const VerificationAddBodySchema: GenMessage<VerificationAddBody>;
/**
 * @generated from message makechain.VerificationRemoveBody
 */
export type VerificationRemoveBody = Message<"makechain.VerificationRemoveBody"> & {
    /**
     * @generated from field: bytes address = 1;
     */
    address: Uint8Array;
};
/**
 * Describes the message makechain.VerificationRemoveBody.
 * Use `create(VerificationRemoveBodySchema)` to create a new message.
 */
export declare const VerificationRemoveBodySchema: GenMessage<VerificationRemoveBody>;
/**
 * @generated from enum makechain.AccountDataType
 */
export declare enum AccountDataType {
    /**
     * @generated from enum value: ACCOUNT_DATA_NONE = 0;
     */
    ACCOUNT_DATA_NONE = 0,
    /**
     * @generated from enum value: ACCOUNT_DATA_DISPLAY_NAME = 1;
     */
    ACCOUNT_DATA_DISPLAY_NAME = 1,
    /**
     * @generated from enum value: ACCOUNT_DATA_AVATAR = 2;
     */
    ACCOUNT_DATA_AVATAR = 2,
    /**
     * @generated from enum value: ACCOUNT_DATA_BIO = 3;
     */
    ACCOUNT_DATA_BIO = 3,
    /**
     * @generated from enum value: ACCOUNT_DATA_WEBSITE = 4;
     */
    ACCOUNT_DATA_WEBSITE = 4
}
/**
 * Describes the enum makechain.AccountDataType.
 */
export declare const AccountDataTypeSchema: GenEnum<AccountDataType>;
/**
 * @generated from enum makechain.VerificationType
 */
export declare enum VerificationType {
    /**
     * @generated from enum value: VERIFICATION_TYPE_NONE = 0;
     */
    NONE = 0,
    /**
     * @generated from enum value: VERIFICATION_TYPE_ETH_ADDRESS = 1;
     */
    ETH_ADDRESS = 1,
    /**
     * @generated from enum value: VERIFICATION_TYPE_SOL_ADDRESS = 2;
     */
    SOL_ADDRESS = 2
}
/**
 * Describes the enum makechain.VerificationType.
 */
export declare const VerificationTypeSchema: GenEnum<VerificationType>;
