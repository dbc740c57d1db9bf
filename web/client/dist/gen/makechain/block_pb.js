// Committed blocks in the form of the API.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import { file_makechain_message } from "./message_pb.js";
/**
 * Describes the file makechain/block.proto.
 */
export const file_makechain_block = /*@__PURE__*/ fileDesc("ChVtYWtlY2hhaW4vYmxvY2sucHJvdG8SCW1ha2VjaGFpbiIzCgZIZWlnaHQSEwoLc2hhcmRfaW5kZXgYASABKA0SFAoMYmxvY2tfbnVtYmVyGAIgASgEIjQKD0NvbW1pdFNpZ25hdHVyZRIOCgZzaWduZXIYASABKAwSEQoJc2lnbmF0dXJlGAIgASgMImsKB0NvbW1pdHMSIQoGaGVpZ2h0GAEgASgLMhEubWFrZWNoYWluLkhlaWdodBINCgV2YWx1ZRgCIAEoDBIuCgpzaWduYXR1cmVzGAMgAygLMhoubWFrZWNoYWluLkNvbW1pdFNpZ25hdHVyZSK+AQoLQmxvY2tIZWFkZXISIQoGaGVpZ2h0GAEgASgLMhEubWFrZWNoYWluLkhlaWdodBIRCgl0aW1lc3RhbXAYAiABKAQSDwoHdmVyc2lvbhgDIAEoDRIkCghjaGFpbl9pZBgEIAEoDjISLm1ha2VjaGFpbi5OZXR3b3JrEhMKC3BhcmVudF9oYXNoGAUgASgMEhIKCnN0YXRlX3Jvb3QYBiABKAwSGQoRdHJhbnNhY3Rpb25zX3Jvb3QYCiABKAwiWgoNU2hhcmRDaHVua1JlZhIhCgZoZWlnaHQYASABKAsyES5tYWtlY2hhaW4uSGVpZ2h0EhIKCnNoYXJkX3Jvb3QYAiABKAwSEgoKc2hhcmRfaGFzaBgDIAEoDCI8CgxTaGFyZFdpdG5lc3MSLAoKc2hhcmRfcmVmcxgBIAMoCzIYLm1ha2VjaGFpbi5TaGFyZENodW5rUmVmImwKC1NoYXJkSGVhZGVyEiEKBmhlaWdodBgBIAEoCzIRLm1ha2VjaGFpbi5IZWlnaHQSEQoJdGltZXN0YW1wGAIgASgEEhMKC3BhcmVudF9oYXNoGAMgASgMEhIKCnNoYXJkX3Jvb3QYBCABKAwiaQoSUHJvamVjdFRyYW5zYWN0aW9uEhIKCnByb2plY3RfaWQYASABKAwSKQoNdXNlcl9tZXNzYWdlcxgCIAMoCzISLm1ha2VjaGFpbi5NZXNzYWdlEhQKDHByb2plY3Rfcm9vdBgDIAEoDCKUAQoKU2hhcmRDaHVuaxImCgZoZWFkZXIYASABKAsyFi5tYWtlY2hhaW4uU2hhcmRIZWFkZXISDAoEaGFzaBgCIAEoDBIrCgR0eG5zGAMgAygLMh0ubWFrZWNoYWluLlByb2plY3RUcmFuc2FjdGlvbhIjCgdjb21taXRzGAQgASgLMhIubWFrZWNoYWluLkNvbW1pdHMi0wEKBUJsb2NrEiYKBmhlYWRlchgBIAEoCzIWLm1ha2VjaGFpbi5CbG9ja0hlYWRlchIMCgRoYXNoGAIgASgMEigKB3dpdG5lc3MYAyABKAsyFy5tYWtlY2hhaW4uU2hhcmRXaXRuZXNzEiMKB2NvbW1pdHMYBCABKAsyEi5tYWtlY2hhaW4uQ29tbWl0cxIlCgZjaHVua3MYBSADKAsyFS5tYWtlY2hhaW4uU2hhcmRDaHVuaxIeChZjb25zZW5zdXNfZmluYWxpemF0aW9uGAYgASgMIksKD1Byb2plY3RNZXNzYWdlcxISCgpwcm9qZWN0X2lkGAEgASgMEiQKCG1lc3NhZ2VzGAIgAygLMhIubWFrZWNoYWluLk1lc3NhZ2Ui5wEKEEV4ZWN1dGlvblBheWxvYWQSDgoGZGlnZXN0GAEgASgMEiwKEGFjY291bnRfbWVzc2FnZXMYAiADKAsyEi5tYWtlY2hhaW4uTWVzc2FnZRI0ChBwcm9qZWN0X21lc3NhZ2VzGAMgAygLMhoubWFrZWNoYWluLlByb2plY3RNZXNzYWdlcxIRCgl0aW1lc3RhbXAYBCABKAQSFAoMYmxvY2tfbnVtYmVyGAUgASgEEhMKC3BhcmVudF9oYXNoGAYgASgMEhAKCGNoYWluX2lkGAcgASgNEg8KB3ZlcnNpb24YCCABKA1CJVojbWFrZWNoYWluL2dlbi9tYWtlY2hhaW47bWFrZWNoYWlucGJiBnByb3RvMw", [file_makechain_message]);
/**
 * Describes the message makechain.Height.
 * Use `create(HeightSchema)` to create a new message.
 */
export const HeightSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 0);
/**
 * Describes the message makechain.CommitSignature.
 * Use `create(CommitSignatureSchema)` to create a new message.
 */
export const CommitSignatureSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 1);
/**
 * Describes the message makechain.Commits.
 * Use `create(CommitsSchema)` to create a new message.
 */
export const CommitsSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 2);
/**
 * Describes the message makechain.BlockHeader.
 * Use `create(BlockHeaderSchema)` to create a new message.
 */
export const BlockHeaderSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 3);
/**
 * Describes the message makechain.ShardChunkRef.
 * Use `create(ShardChunkRefSchema)` to create a new message.
 */
export const ShardChunkRefSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 4);
/**
 * Describes the message makechain.ShardWitness.
 * Use `create(ShardWitnessSchema)` to create a new message.
 */
export const ShardWitnessSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 5);
/**
 * Describes the message makechain.ShardHeader.
 * Use `create(ShardHeaderSchema)` to create a new message.
 */
export const ShardHeaderSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 6);
/**
 * Describes the message makechain.ProjectTransaction.
 * Use `create(ProjectTransactionSchema)` to create a new message.
 */
export const ProjectTransactionSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 7);
/**
 * Describes the message makechain.ShardChunk.
 * Use `create(ShardChunkSchema)` to create a new message.
 */
export const ShardChunkSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 8);
/**
 * Describes the message makechain.Block.
 * Use `create(BlockSchema)` to create a new message.
 */
export const BlockSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 9);
/**
 * Describes the message makechain.ProjectMessages.
 * Use `create(ProjectMessagesSchema)` to create a new message.
 */
export const ProjectMessagesSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 10);
/**
 * Describes the message makechain.ExecutionPayload.
 * Use `create(ExecutionPayloadSchema)` to create a new message.
 */
export const ExecutionPayloadSchema = /*@__PURE__*/ messageDesc(file_makechain_block, 11);
