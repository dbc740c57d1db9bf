// Projects: name, visibility and origin.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/project.proto.
 */
export const file_makechain_project = /*@__PURE__*/ fileDesc("ChdtYWtlY2hhaW4vcHJvamVjdC5wcm90bxIJbWFrZWNoYWluInIKEVByb2plY3RDcmVhdGVCb2R5EgwKBG5hbWUYASABKAkSKQoKdmlzaWJpbGl0eRgCIAEoDjIVLm1ha2VjaGFpbi5WaXNpYmlsaXR5EhMKC2Rlc2NyaXB0aW9uGAMgASgJEg8KB2xpY2Vuc2UYBCABKAkiegoIRm9ya0JvZHkSGQoRc291cmNlX3Byb2plY3RfaWQYASABKAwSDAoEbmFtZRgCIAEoCRIaChJzb3VyY2VfY29tbWl0X2hhc2gYAyABKAwSKQoKdmlzaWJpbGl0eRgEIAEoDjIVLm1ha2VjaGFpbi5WaXNpYmlsaXR5ImcKE1Byb2plY3RNZXRhZGF0YUJvZHkSEgoKcHJvamVjdF9pZBgBIAEoDBItCgVmaWVsZBgCIAEoDjIeLm1ha2VjaGFpbi5Qcm9qZWN0TWV0YWRhdGFUeXBlEg0KBXZhbHVlGAMgASgJIigKElByb2plY3RBcmNoaXZlQm9keRISCgpwcm9qZWN0X2lkGAEgASgMIicKEVByb2plY3RSZW1vdmVCb2R5EhIKCnByb2plY3RfaWQYASABKAwqOwoKVmlzaWJpbGl0eRIVChFWSVNJQklMSVRZX1BVQkxJQxAAEhYKElZJU0lCSUxJVFlfUFJJVkFURRABKu8BChNQcm9qZWN0TWV0YWRhdGFUeXBlEhkKFVBST0pFQ1RfTUVUQURBVEFfTk9ORRAAEhkKFVBST0pFQ1RfTUVUQURBVEFfTkFNRRABEiAKHFBST0pFQ1RfTUVUQURBVEFfREVTQ1JJUFRJT04QAhIcChhQUk9KRUNUX01FVEFEQVRBX0xJQ0VOU0UQAxIfChtQUk9KRUNUX01FVEFEQVRBX1ZJU0lCSUxJVFkQBBIcChhQUk9KRUNUX01FVEFEQVRBX0NPTlRFTlQQZBIjCh9QUk9KRUNUX01FVEFEQVRBX0RFRkFVTFRfQlJBTkNIEGVCJVojbWFrZWNoYWluL2dlbi9tYWtlY2hhaW47bWFrZWNoYWlucGJiBnByb3RvMw");
/**
 * Describes the message makechain.ProjectCreateBody.
 * Use `create(ProjectCreateBodySchema)` to create a new message.
 */
export const ProjectCreateBodySchema = /*@__PURE__*/ messageDesc(file_makechain_project, 0);
/**
 * Describes the message makechain.ForkBody.
 * Use `create(ForkBodySchema)` to create a new message.
 */
export const ForkBodySchema = /*@__PURE__*/ messageDesc(file_makechain_project, 1);
/**
 * Describes the message makechain.ProjectMetadataBody.
 * Use `create(ProjectMetadataBodySchema)` to create a new message.
 */
export const ProjectMetadataBodySchema = /*@__PURE__*/ messageDesc(file_makechain_project, 2);
/**
 * Describes the message makechain.ProjectArchiveBody.
 * Use `create(ProjectArchiveBodySchema)` to create a new message.
 */
export const ProjectArchiveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_project, 3);
/**
 * Describes the message makechain.ProjectRemoveBody.
 * Use `create(ProjectRemoveBodySchema)` to create a new message.
 */
export const ProjectRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_project, 4);
/**
 * @generated from enum makechain.Visibility
 */
export var Visibility;
(function (Visibility) {
    /**
     * @generated from enum value: VISIBILITY_PUBLIC = 0;
     */
    Visibility[Visibility["PUBLIC"] = 0] = "PUBLIC";
    /**
     * @generated from enum value: VISIBILITY_PRIVATE = 1;
     */
    Visibility[Visibility["PRIVATE"] = 1] = "PRIVATE";
})(Visibility || (Visibility = {}));
/**
 * Describes the enum makechain.Visibility.
 */
export const VisibilitySchema = /*@__PURE__*/ enumDesc(file_makechain_project, 0);
/**
 * @generated from enum makechain.ProjectMetadataType
 */
export var ProjectMetadataType;
(function (ProjectMetadataType) {
    /**
     * @generated from enum value: PROJECT_METADATA_NONE = 0;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_NONE"] = 0] = "PROJECT_METADATA_NONE";
    /**
     * @generated from enum value: PROJECT_METADATA_NAME = 1;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_NAME"] = 1] = "PROJECT_METADATA_NAME";
    /**
     * @generated from enum value: PROJECT_METADATA_DESCRIPTION = 2;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_DESCRIPTION"] = 2] = "PROJECT_METADATA_DESCRIPTION";
    /**
     * @generated from enum value: PROJECT_METADATA_LICENSE = 3;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_LICENSE"] = 3] = "PROJECT_METADATA_LICENSE";
    /**
     * @generated from enum value: PROJECT_METADATA_VISIBILITY = 4;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_VISIBILITY"] = 4] = "PROJECT_METADATA_VISIBILITY";
    /**
     * @generated from enum value: PROJECT_METADATA_CONTENT = 100;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_CONTENT"] = 100] = "PROJECT_METADATA_CONTENT";
    /**
     * @generated from enum value: PROJECT_METADATA_DEFAULT_BRANCH = 101;
     */
    ProjectMetadataType[ProjectMetadataType["PROJECT_METADATA_DEFAULT_BRANCH"] = 101] = "PROJECT_METADATA_DEFAULT_BRANCH";
})(ProjectMetadataType || (ProjectMetadataType = {}));
/**
 * Describes the enum makechain.ProjectMetadataType.
 */
export const ProjectMetadataTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_project, 1);
