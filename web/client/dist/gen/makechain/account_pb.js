// Accounts: profile, username and verified external addresses.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/account.proto.
 */
export const file_makechain_account = /*@__PURE__*/ fileDesc("ChdtYWtlY2hhaW4vYWNjb3VudC5wcm90bxIJbWFrZWNoYWluIksKD0FjY291bnREYXRhQm9keRIpCgVmaWVsZBgBIAEoDjIaLm1ha2VjaGFpbi5BY2NvdW50RGF0YVR5cGUSDQoFdmFsdWUYAiABKAkiJgoSVXNlcm5hbWVDcmVhdGVCb2R5EhAKCHVzZXJuYW1lGAEgASgJIiYKElVzZXJuYW1lVXBkYXRlQm9keRIQCgh1c2VybmFtZRgBIAEoCSKJAQoTVmVyaWZpY2F0aW9uQWRkQm9keRI2ChF2ZXJpZmljYXRpb25fdHlwZRgBIAEoDjIbLm1ha2VjaGFpbi5WZXJpZmljYXRpb25UeXBlEg8KB2FkZHJlc3MYAiABKAwSFwoPY2xhaW1fc2lnbmF0dXJlGAMgASgMEhAKCGNoYWluX2lkGAQgASgMIikKFlZlcmlmaWNhdGlvblJlbW92ZUJvZHkSDwoHYWRkcmVzcxgBIAEoDCqQAQoPQWNjb3VudERhdGFUeXBlEhUKEUFDQ09VTlRfREFUQV9OT05FEAASHQoZQUNDT1VOVF9EQVRBX0RJU1BMQVlfTkFNRRABEhcKE0FDQ09VTlRfREFUQV9BVkFUQVIQAhIUChBBQ0NPVU5UX0RBVEFfQklPEAMSGAoUQUNDT1VOVF9EQVRBX1dFQlNJVEUQBCp0ChBWZXJpZmljYXRpb25UeXBlEhoKFlZFUklGSUNBVElPTl9UWVBFX05PTkUQABIhCh1WRVJJRklDQVRJT05fVFlQRV9FVEhfQUREUkVTUxABEiEKHVZFUklGSUNBVElPTl9UWVBFX1NPTF9BRERSRVNTEAJCJVojbWFrZWNoYWluL2dlbi9tYWtlY2hhaW47bWFrZWNoYWlucGJiBnByb3RvMw");
/**
 * Describes the message makechain.AccountDataBody.
 * Use `create(AccountDataBodySchema)` to create a new message.
 */
export const AccountDataBodySchema = /*@__PURE__*/ messageDesc(file_makechain_account, 0);
/**
 * Describes the message makechain.UsernameCreateBody.
 * Use `create(UsernameCreateBodySchema)` to create a new message.
 */
export const UsernameCreateBodySchema = /*@__PURE__*/ messageDesc(file_makechain_account, 1);
/**
 * Describes the message makechain.UsernameUpdateBody.
 * Use `create(UsernameUpdateBodySchema)` to create a new message.
 */
export const UsernameUpdateBodySchema = /*@__PURE__*/ messageDesc(file_makechain_account, 2);
/**
 * Describes the message makechain.VerificationAddBody.
 * Use `create(VerificationAddBodySchema)` to create a new message.
 */
export const VerificationAddBodySchema = /*@__PURE__*/ messageDesc(file_makechain_account, 3);
/**
 * Describes the message makechain.VerificationRemoveBody.
 * Use `create(VerificationRemoveBodySchema)` to create a new message.
 */
export const VerificationRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_account, 4);
/**
 * @generated from enum makechain.AccountDataType
 */
export var AccountDataType;
(function (AccountDataType) {
    /**
     * @generated from enum value: ACCOUNT_DATA_NONE = 0;
     */
    AccountDataType[AccountDataType["ACCOUNT_DATA_NONE"] = 0] = "ACCOUNT_DATA_NONE";
    /**
     * @generated from enum value: ACCOUNT_DATA_DISPLAY_NAME = 1;
     */
    AccountDataType[AccountDataType["ACCOUNT_DATA_DISPLAY_NAME"] = 1] = "ACCOUNT_DATA_DISPLAY_NAME";
    /**
     * @generated from enum value: ACCOUNT_DATA_AVATAR = 2;
     */
    AccountDataType[AccountDataType["ACCOUNT_DATA_AVATAR"] = 2] = "ACCOUNT_DATA_AVATAR";
    /**
     * @generated from enum value: ACCOUNT_DATA_BIO = 3;
     */
    AccountDataType[AccountDataType["ACCOUNT_DATA_BIO"] = 3] = "ACCOUNT_DATA_BIO";
    /**
     * @generated from enum value: ACCOUNT_DATA_WEBSITE = 4;
     */
    AccountDataType[AccountDataType["ACCOUNT_DATA_WEBSITE"] = 4] = "ACCOUNT_DATA_WEBSITE";
})(AccountDataType || (AccountDataType = {}));
/**
 * Describes the enum makechain.AccountDataType.
 */
export const AccountDataTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_account, 0);
/**
 * @generated from enum makechain.VerificationType
 */
export var VerificationType;
(function (VerificationType) {
    /**
     * @generated from enum value: VERIFICATION_TYPE_NONE = 0;
     */
    VerificationType[VerificationType["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: VERIFICATION_TYPE_ETH_ADDRESS = 1;
     */
    VerificationType[VerificationType["ETH_ADDRESS"] = 1] = "ETH_ADDRESS";
    /**
     * @generated from enum value: VERIFICATION_TYPE_SOL_ADDRESS = 2;
     */
    VerificationType[VerificationType["SOL_ADDRESS"] = 2] = "SOL_ADDRESS";
})(VerificationType || (VerificationType = {}));
/**
 * Describes the enum makechain.VerificationType.
 */
export const VerificationTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_account, 1);
