import type { GenEnum, GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/ref.proto.
 */
export declare const file_makechain_ref: GenFile;
/**
 * RefUpdateBody creates or moves a ref.
 *
 * @generated from message makechain.RefUpdateBody
 */
export type RefUpdateBody = Message<"makechain.RefUpdateBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes ref_name = 2;
     */
    refName: Uint8Array;
    /**
     * @generated from field: makechain.RefType ref_type = 3;
     */
    refType: RefType;
    /**
     * Empty, or the hash that the ref must have.
     *
     * @generated from field: bytes old_hash = 4;
     */
    oldHash: Uint8Array;
    /**
     * @generated from field: bytes new_hash = 5;
     */
    newHash: Uint8Array;
    /**
     * Skips the fast-forward check only.
     *
     * @generated from field: bool force = 6;
     */
    force: boolean;
    /**
     * 1 for a new ref, else one more than the current.
     *
     * @generated from field: uint64 nonce = 7;
     */
    nonce: bigint;
    /**
     * For a tag: empty, or the id of the annotated or signed tag object that peels to new_hash.
     *
     * @generated from field: bytes tag_object = 100;
     */
    tagObject: Uint8Array;
    /**
     * Empty, or the digest of content that no commit bundle names.
     *
     * @generated from field: bytes content_digest = 101;
     */
    contentDigest: Uint8Array;
};
/**
 * Describes the message makechain.RefUpdateBody.
 * Use `create(RefUpdateBodySchema)` to create a new message.
 */
export declare const RefUpdateBodySchema: GenMessage<RefUpdateBody>;
/**
 * RefDeleteBody deletes a ref; its name can be used again, starting at nonce 1.
 *
 * @generated from message makechain.RefDeleteBody
 */
export type RefDeleteBody = Message<"makechain.RefDeleteBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: bytes ref_name = 2;
     */
    refName: Uint8Array;
    /**
     * Empty, or the hash that the ref must have.
     *
     * @generated from field: bytes expected_hash = 3;
     */
    expectedHash: Uint8Array;
    /**
     * @generated from field: uint64 nonce = 4;
     */
    nonce: bigint;
};
/**
 * Describes the message makechain.RefDeleteBody.
 * Use `create(RefDeleteBodySchema)` to create a new message.
 */
export declare const RefDeleteBodySchema: GenMessage<RefDeleteBody>;
/**
 * @generated from enum makechain.RefType
 */
export declare enum RefType {
    /**
     * @generated from enum value: REF_TYPE_BRANCH = 0;
     */
    BRANCH = 0,
    /**
     * @generated from enum value: REF_TYPE_TAG = 1;
     */
    TAG = 1
}
/**
 * Describes the enum makechain.RefType.
 */
export declare const RefTypeSchema: GenEnum<RefType>;
