// Commits: the graph of a project, declared by clients in bundles.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/commit.proto.
 */
export const file_makechain_commit = /*@__PURE__*/ fileDesc("ChZtYWtlY2hhaW4vY29tbWl0LnByb3RvEgltYWtlY2hhaW4icwoQQ29tbWl0QnVuZGxlQm9keRISCgpwcm9qZWN0X2lkGAEgASgMEiYKB2NvbW1pdHMYAiADKAsyFS5tYWtlY2hhaW4uQ29tbWl0TWV0YRIWCg5jb250ZW50X2RpZ2VzdBgDIAEoDBILCgN1cmwYBCABKAkiqgEKCkNvbW1pdE1ldGESDAoEaGFzaBgBIAEoDBIPCgdwYXJlbnRzGAIgAygMEhEKCXRyZWVfcm9vdBgDIAEoDBIYChBhdXRob3JfdGltZXN0YW1wGAQgASgNEg0KBXRpdGxlGAUgASgJEhQKDG1lc3NhZ2VfaGFzaBgGIAEoDBIWCg5hdXRob3JfYWRkcmVzcxgHIAEoDBITCgthdXRob3JfbmFtZRhkIAEoCUIlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z");
/**
 * Describes the message makechain.CommitBundleBody.
 * Use `create(CommitBundleBodySchema)` to create a new message.
 */
export const CommitBundleBodySchema = /*@__PURE__*/ messageDesc(file_makechain_commit, 0);
/**
 * Describes the message makechain.CommitMeta.
 * Use `create(CommitMetaSchema)` to create a new message.
 */
export const CommitMetaSchema = /*@__PURE__*/ messageDesc(file_makechain_commit, 1);
