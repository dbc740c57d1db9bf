// Collaborators: permissions of other accounts on a project.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/collaborator.proto.
 */
export const file_makechain_collaborator = /*@__PURE__*/ fileDesc("ChxtYWtlY2hhaW4vY29sbGFib3JhdG9yLnByb3RvEgltYWtlY2hhaW4icgoTQ29sbGFib3JhdG9yQWRkQm9keRISCgpwcm9qZWN0X2lkGAEgASgMEikKCnBlcm1pc3Npb24YAiABKA4yFS5tYWtlY2hhaW4uUGVybWlzc2lvbhIcChR0YXJnZXRfb3duZXJfYWRkcmVzcxgDIAEoDCJKChZDb2xsYWJvcmF0b3JSZW1vdmVCb2R5EhIKCnByb2plY3RfaWQYASABKAwSHAoUdGFyZ2V0X293bmVyX2FkZHJlc3MYAiABKAwqYwoKUGVybWlzc2lvbhITCg9QRVJNSVNTSU9OX1JFQUQQABIUChBQRVJNSVNTSU9OX1dSSVRFEAESFAoQUEVSTUlTU0lPTl9BRE1JThACEhQKEFBFUk1JU1NJT05fT1dORVIQA0IlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z");
/**
 * Describes the message makechain.CollaboratorAddBody.
 * Use `create(CollaboratorAddBodySchema)` to create a new message.
 */
export const CollaboratorAddBodySchema = /*@__PURE__*/ messageDesc(file_makechain_collaborator, 0);
/**
 * Describes the message makechain.CollaboratorRemoveBody.
 * Use `create(CollaboratorRemoveBodySchema)` to create a new message.
 */
export const CollaboratorRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_collaborator, 1);
/**
 * Permission is what a collaborator may do, in ascending order.
 *
 * @generated from enum makechain.Permission
 */
export var Permission;
(function (Permission) {
    /**
     * @generated from enum value: PERMISSION_READ = 0;
     */
    Permission[Permission["READ"] = 0] = "READ";
    /**
     * @generated from enum value: PERMISSION_WRITE = 1;
     */
    Permission[Permission["WRITE"] = 1] = "WRITE";
    /**
     * @generated from enum value: PERMISSION_ADMIN = 2;
     */
    Permission[Permission["ADMIN"] = 2] = "ADMIN";
    /**
     * @generated from enum value: PERMISSION_OWNER = 3;
     */
    Permission[Permission["OWNER"] = 3] = "OWNER";
})(Permission || (Permission = {}));
/**
 * Describes the enum makechain.Permission.
 */
export const PermissionSchema = /*@__PURE__*/ enumDesc(file_makechain_collaborator, 0);
