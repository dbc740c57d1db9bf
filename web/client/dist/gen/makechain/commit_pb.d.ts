import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/commit.proto.
 */
export declare const file_makechain_commit: GenFile;
/**
 * CommitBundleBody adds commits, parents first.
 *
 * @generated from message makechain.CommitBundleBody
 */
export type CommitBundleBody = Message<"makechain.CommitBundleBody"> & {
    /**
     * @generated from field: bytes project_id = 1;
     */
    projectId: Uint8Array;
    /**
     * @generated from field: repeated makechain.CommitMeta commits = 2;
     */
    commits: CommitMeta[];
    /**
     * Empty, or a digest of the content at url.
     *
     * @generated from field: bytes content_digest = 3;
     */
    contentDigest: Uint8Array;
    /**
     * @generated from field: string url = 4;
     */
    url: string;
};
/**
 * Describes the message makechain.CommitBundleBody.
 * Use `create(CommitBundleBodySchema)` to create a new message.
 */
export declare const CommitBundleBodySchema: GenMessage<CommitBundleBody>;
/**
 * CommitMeta describes one commit. Its hash is declared by the client.
 *
 * @generated from message makechain.CommitMeta
 */
export type CommitMeta = Message<"makechain.CommitMeta"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
    /**
     * @generated from field: repeated bytes parents = 2;
     */
    parents: Uint8Array[];
    /**
     * @generated from field: bytes tree_root = 3;
     */
    treeRoot: Uint8Array;
    /**
     * @generated from field: uint32 author_timestamp = 4;
     */
    authorTimestamp: number;
    /**
     * @generated from field: string title = 5;
     */
    title: string;
    /**
     * @generated from field: bytes message_hash = 6;
     */
    messageHash: Uint8Array;
    /**
     * @generated from field: bytes author_address = 7;
     */
    authorAddress: Uint8Array;
    /**
     * The name of the author in git, as the client claims it; empty when it is not published.
     *
     * @generated from field: string author_name = 100;
     */
    authorName: string;
};
/**
 * Describes the message makechain.CommitMeta.
 * Use `create(CommitMetaSchema)` to create a new message.
 */
export declare const CommitMetaSchema: GenMessage<CommitMeta>;
