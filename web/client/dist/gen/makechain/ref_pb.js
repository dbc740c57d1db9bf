// Refs: named pointers into a project's commits, moved by compare and swap.
import { enumDesc, fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/ref.proto.
 */
export const file_makechain_ref = /*@__PURE__*/ fileDesc("ChNtYWtlY2hhaW4vcmVmLnByb3RvEgltYWtlY2hhaW4iyQEKDVJlZlVwZGF0ZUJvZHkSEgoKcHJvamVjdF9pZBgBIAEoDBIQCghyZWZfbmFtZRgCIAEoDBIkCghyZWZfdHlwZRgDIAEoDjISLm1ha2VjaGFpbi5SZWZUeXBlEhAKCG9sZF9oYXNoGAQgASgMEhAKCG5ld19oYXNoGAUgASgMEg0KBWZvcmNlGAYgASgIEg0KBW5vbmNlGAcgASgEEhIKCnRhZ19vYmplY3QYZCABKAwSFgoOY29udGVudF9kaWdlc3QYZSABKAwiWwoNUmVmRGVsZXRlQm9keRISCgpwcm9qZWN0X2lkGAEgASgMEhAKCHJlZl9uYW1lGAIgASgMEhUKDWV4cGVjdGVkX2hhc2gYAyABKAwSDQoFbm9uY2UYBCABKAQqMAoHUmVmVHlwZRITCg9SRUZfVFlQRV9CUkFOQ0gQABIQCgxSRUZfVFlQRV9UQUcQAUIlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z");
/**
 * Describes the message makechain.RefUpdateBody.
 * Use `create(RefUpdateBodySchema)` to create a new message.
 */
export const RefUpdateBodySchema = /*@__PURE__*/ messageDesc(file_makechain_ref, 0);
/**
 * Describes the message makechain.RefDeleteBody.
 * Use `create(RefDeleteBodySchema)` to create a new message.
 */
export const RefDeleteBodySchema = /*@__PURE__*/ messageDesc(file_makechain_ref, 1);
/**
 * @generated from enum makechain.RefType
 */
export var RefType;
(function (RefType) {
    /**
     * @generated from enum value: REF_TYPE_BRANCH = 0;
     */
    RefType[RefType["BRANCH"] = 0] = "BRANCH";
    /**
     * @generated from enum value: REF_TYPE_TAG = 1;
     */
    RefType[RefType["TAG"] = 1] = "TAG";
})(RefType || (RefType = {}));
/**
 * Describes the enum makechain.RefType.
 */
export const RefTypeSchema = /*@__PURE__*/ enumDesc(file_makechain_ref, 0);
