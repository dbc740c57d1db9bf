// Links and reactions between accounts, projects and commits.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/social.proto.
 */
export const file_makechain_social = /*@__PURE__*/ fileDesc("ChZtYWtlY2hhaW4vc29jaWFsLnByb3RvEgltYWtlY2hhaW4ifAoLTGlua0FkZEJvZHkSJgoJbGlua190eXBlGAEgASgOMhMubWFrZWNoYWluLkxpbmtUeXBlEhsKEXRhcmdldF9wcm9qZWN0X2lkGAIgASgMSAASHgoUdGFyZ2V0X293bmVyX2FkZHJlc3MYAyABKAxIAEIICgZ0YXJnZXQifwoOTGlua1JlbW92ZUJvZHkSJgoJbGlua190eXBlGAEgASgOMhMubWFrZWNoYWluLkxpbmtUeXBlEhsKEXRhcmdldF9wcm9qZWN0X2lkGAIgASgMSAASHgoUdGFyZ2V0X293bmVyX2FkZHJlc3MYAyABKAxIAEIICgZ0YXJnZXQieAoPUmVhY3Rpb25BZGRCb2R5Ei4KDXJlYWN0aW9uX3R5cGUYASABKA4yFy5tYWtlY2hhaW4uUmVhY3Rpb25UeXBlEhkKEXRhcmdldF9wcm9qZWN0X2lkGAIgASgMEhoKEnRhcmdldF9jb21taXRfaGFzaBgDIAEoDCJ7ChJSZWFjdGlvblJlbW92ZUJvZHkSLgoNcmVhY3Rpb25fdHlwZRgBIAEoDjIXLm1ha2VjaGFpbi5SZWFjdGlvblR5cGUSGQoRdGFyZ2V0X3Byb2plY3RfaWQYAiABKAwSGgoSdGFyZ2V0X2NvbW1pdF9oYXNoGAMgASgMKkgKCExpbmtUeXBlEhIKDkxJTktfVFlQRV9OT05FEAASFAoQTElOS19UWVBFX0ZPTExPVxABEhIKDkxJTktfVFlQRV9TVEFSEAIqPgoMUmVhY3Rpb25UeXBlEhYKElJFQUNUSU9OX1RZUEVfTk9ORRAAEhYKElJFQUNUSU9OX1RZUEVfTElLRRABQiVaI21ha2VjaGFpbi9nZW4vbWFrZWNoYWluO21ha2VjaGFpbnBiYgZwcm90bzM");
/**
 * Describes the message makechain.LinkAddBody.
 * Use `create(LinkAddBodySchema)` to create a new message.
 */
export const LinkAddBodySchema = /*@__PURE__*/ messageDesc(file_makechain_social, 0);
/**
 * Describes the message makechain.LinkRemoveBody.
 * Use `create(LinkRemoveBodySchema)` to create a new message.
 */
export const LinkRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_social, 1);
/**
 * Describes the message makechain.ReactionAddBody.
 * Use `create(ReactionAddBodySchema)` to create a new message.
 */
export const ReactionAddBodySchema = /*@__PURE__*/ messageDesc(file_makechain_social, 2);
/**
 * Describes the message makechain.ReactionRemoveBody.
 * Use `create(ReactionRemoveBodySchema)` to create a new message.
 */
export const ReactionRemoveBodySchema = /*@__PURE__*/ messageDesc(file_makechain_social, 3);
/**
 * @generated from enum makechain.LinkType
 */
export var LinkType;
(function (LinkType) {
    /**
     * @generated from enum value: LINK_TYPE_NONE = 0;
     */
    LinkType[LinkType["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: LINK_TYPE_FOLLOW = 1;
     */
    LinkType[LinkType["FOLLOW"] = 1] = "FOLLOW";
    /**
     * @generated from enum value: LINK_TYPE_STAR = 2;
     */
    LinkType[LinkType["STAR"] = 2] = "STAR";
})(LinkType || (LinkType = {}));
/**
 * Describes the enum makechain.LinkType.
 */
export const LinkTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_social, 0);
/**
 * @generated from enum makechain.ReactionType
 */
export var ReactionType;
(function (ReactionType) {
    /**
     * @generated from enum value: REACTION_TYPE_NONE = 0;
     */
    ReactionType[ReactionType["NONE"] = 0] = "NONE";
    /**
     * @generated from enum value: REACTION_TYPE_LIKE = 1;
     */
    ReactionType[ReactionType["LIKE"] = 1] = "LIKE";
})(ReactionType || (ReactionType = {}));
/**
 * Describes the enum makechain.ReactionType.
 */
export const ReactionTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_social, 1);
