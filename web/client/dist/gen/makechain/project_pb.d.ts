import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/project.proto.
 */
export declare const file_makechain_project: GenFile;
/**
 * ProjectCreateBody creates a project. The message's hash becomes the project's id.
 *
 * @generated from message makechain.ProjectCreateBody
 */
export type ProjectCreateBody = Message<"makechain.ProjectCreateBody"> & {
    /**
     * @generated from field: string name = 1;
     */
    name: string;
    /**
     * @generated from field: makechain.Visibility visibility = 2;
     */
    visibility: Visibility;
    /**
     * @generated from field: string description = 3;
     */
    description: string;
    /**
     * @generated from field: string license = 4;
     */
    license: string;
};
/**
 * Describes the message makechain.ProjectCreateBody.
 * Use `create(ProjectCreateBodySchema)` to create a new message.
 */
export declare const ProjectCreateBodySchema: GenMessage<ProjectCreateBody>;
/**
 * ForkBody creates a project from a commit of another one. The message's hash becomes its id.
 *
 * @generated from message makechain.ForkBody
 */
export type ForkBody = Message<"makechain.ForkBody"> & {
    /**
     * @generated from field: bytes source_project_id = 1;
     */
    sourceProjectId: Uint8Array;
    /**
     * @generated from field: string name = 2;
     */
    name: string;
    /**
     * @generated from field: bytes source_commit_hash = 3;
     */
    sourceCommitHash: Uint8Array;
    /**
     * @generated from field: makechain.Visibility visibility = 4;
     */
    visibility: Visibility;
};
/**
 * Describes the message makechain.ForkBody.
 * Use `create(ForkBodySchema)` to create a new message.
 */
export declare const ForkBodySchema: GenMessage<ForkBody>;
/**
 * ProjectMetadataBody sets one field; the latest timestamp wins.
 *
 * @generated from message makechain.ProjectMetadataBody
 */
export type ProjectMetadataBody = Message<"makechain.ProjectMetadataBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: makechain.ProjectMetadataType field = 2;
     */
    field: ProjectMetadataType;
    /**
     * For VISIBILITY: "public" or "private". For CONTENT: the base URLs of content stores, one on each line. For
     * DEFAULT_BRANCH: the full name of a ref.
     *
     * @generated from field: string value = 3;
     */
    value: string;
};
/**
 * Describes the message makechain.ProjectMetadataBody.
 * Use `create(ProjectMetadataBodySchema)` to create a new message.
 */
export declare const ProjectMetadataBodySchema: GenMessage<ProjectMetadataBody>;
/**
 * ProjectArchiveBody makes a project permanently read-only.
 *
 * @generated from message makechain.ProjectArchiveBody
 */
export type ProjectArchiveBody = Message<"makechain.ProjectArchiveBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
};
/**
 * Describes the message makechain.ProjectArchiveBody.
 * Use `create(ProjectArchiveBodySchema)` to create a new message.
 */
export declare const ProjectArchiveBodySchema: GenMessage<ProjectArchiveBody>;
/**
 * ProjectRemoveBody removes a project and frees its name.
 *
 * @generated from message makechain.ProjectRemoveBody
 */
export type ProjectRemoveBody = Message<"makechain.ProjectRemoveBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
};
/**
 * Describes the message makechain.ProjectRemoveBody.
 * Use `create(ProjectRemoveBodySchema)` to create a new message.
 */
export declare const ProjectRemoveBodySchema: GenMessage<ProjectRemoveBody>;
/**
 * @generated from enum makechain.Visibility
 */
export declare enum Visibility {
    /**
     * @generated from enum value: VISIBILITY_PUBLIC = 0;
     */
    PUBLIC = 0,
    /**
     * @generated from enum value: VISIBILITY_PRIVATE = 1;
     */
    PRIVATE = 1
}
/**
 * Describes the enum makechain.Visibility.
 */
export declare const VisibilitySchema: GenEnum<Visibility>;
/**
 * @generated from enum makechain.ProjectMetadataType
 */
export declare enum ProjectMetadataType {
    /**
     * @generated from enum value: PROJECT_METADATA_NONE = 0;
     */
    PROJECT_METADATA_NONE = 0,
    /**
     * @generated from enum value: PROJECT_METADATA_NAME = 1;
     */
    PROJECT_METADATA_NAME = 1,
    /**
     * @generated from enum value: PROJECT_METADATA_DESCRIPTION = 2;
     */
    PROJECT_METADATA_DESCRIPTION = 2,
    /**
     * @generated from enum value: PROJECT_METADATA_LICENSE = 3;
     */
    PROJECT_METADATA_LICENSE = 3,
    /**
     * @generated from enum value: PROJECT_METADATA_VISIBILITY = 4;
     */
    PROJECT_METADATA_VISIBILITY = 4,
    /**
     * @generated from enum value: PROJECT_METADATA_CONTENT = 100;
     */
    PROJECT_METADATA_CONTENT = 100,
    /**
     * @generated from enum value: PROJECT_METADATA_DEFAULT_BRANCH = 101;
     */
    PROJECT_METADATA_DEFAULT_BRANCH = 101
}
/**
 * Describes the enum makechain.ProjectMetadataType.
 */
export declare const ProjectMetadataTypeSchema: GenEnum<ProjectMetadataType>;
