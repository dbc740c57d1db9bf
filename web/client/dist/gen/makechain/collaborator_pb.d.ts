import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/collaborator.proto.
 */
export declare const file_makechain_collaborator: GenFile;
/**
 * @generated from message makechain.CollaboratorAddBody
 */
export type CollaboratorAddBody = Message<"makechain.CollaboratorAddBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: makechain.Permission permission = 2;
     */
    permission: Permission;
    /**
     * @generated from field: bytes target_owner_address = 3;
     */
    targetOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.CollaboratorAddBody.
 * Use `create(CollaboratorAddBodySchema)` to create a new message.
 */
export declare const CollaboratorAddBodySchema: GenMessage<CollaboratorAddBody>;
/**
 * @generated from message makechain.CollaboratorRemoveBody
 */
export type CollaboratorRemoveBody = Message<"makechain.CollaboratorRemoveBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes target_owner_address = 2;
     */
    targetOwnerAddress: Uint8Array;
};
/**
 * Describes the message makechain.CollaboratorRemoveBody.
 * Use `create(CollaboratorRemoveBodySchema)` to create a new message.
 */
export declare const CollaboratorRemoveBodySchema: GenMessage<CollaboratorRemoveBody>;
/**
 * Permission is what a collaborator may do, in ascending order.
 *
 * @generated from enum makechain.Permission
 */
export declare enum Permission {
    /**
     * @generated from enum value: PERMISSION_READ = 0;
     */
    READ = 0,
    /**
     * @generated from enum value: PERMISSION_WRITE = 1;
     */
    WRITE = 1,
    /**
     * @generated from enum value: PERMISSION_ADMIN = 2;
     */
    ADMIN = 2,
    /**
     * @generated from enum value: PERMISSION_OWNER = 3;
     */
    OWNER = 3
}
/**
 * Describes the enum makechain.Permission.
 */
export declare const PermissionSchema: GenEnum<Permission>;
