import type { GenFile, GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/dev/faucet.proto.
 */
export declare const file_makechain_dev_faucet: GenFile;
/**
 * @generated from message makechain.dev.ClaimRequest
 */
export type ClaimRequest = Message<"makechain.dev.ClaimRequest"> & {
    /**
     * @generated from field: bytes owner_address = 1;
     */
    ownerAddress: Uint8Array;
    /**
     * 0 means 1.
     *
     * @generated from field: uint32 units = 2;
     */
    units: number;
};
/**
 * Describes the message makechain.dev.ClaimRequest.
 * Use `create(ClaimRequestSchema)` to create a new message.
 */
export declare const ClaimRequestSchema: GenMessage<ClaimRequest>;
/**
 * @generated from message makechain.dev.ClaimResponse
 */
export type ClaimResponse = Message<"makechain.dev.ClaimResponse"> & {
    /**
     * @generated from field: bytes hash = 1;
     */
    hash: Uint8Array;
};
/**
 * Describes the message makechain.dev.ClaimResponse.
 * Use `create(ClaimResponseSchema)` to create a new message.
 */
export declare const ClaimResponseSchema: GenMessage<ClaimResponse>;
/**
 * FaucetService grants storage on a development chain.
 *
 * @generated from service makechain.dev.FaucetService
 */
export declare const FaucetService: GenService<{
    /**
     * Submits an attested STORAGE_CLAIM for the account and returns its hash.
     *
     * @generated from rpc makechain.dev.FaucetService.Claim
     */
    claim: {
        methodKind: "unary";
        input: typeof ClaimRequestSchema;
        output: typeof ClaimResponseSchema;
    };
}>;
