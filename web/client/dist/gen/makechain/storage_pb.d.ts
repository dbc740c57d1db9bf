import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Message } from "@bufbuild/protobuf";
/**
 * Describes the file makechain/storage.proto.
 */
export declare const file_makechain_storage: GenFile;
/**
 * StorageClaimBody converts storage bought on the settlement chain into a grant.
 *
 * @generated from message makechain.StorageClaimBody
 */
export type StorageClaimBody = Message<"makechain.StorageClaimBody"> & {
    /**
     * @generated from field: uint32 units = 1;
     */
    units: number;
    /**
     * @generated from field: bytes settlement_tx_hash = 2;
     */
    settlementTxHash: Uint8Array;
    /**
     * @generated from field: uint64 settlement_chain_id = 3;
     */
    settlementChainId: bigint;
    /**
     * @generated from field: uint32 settlement_log_index = 4;
     */
    settlementLogIndex: number;
    /**
     * @generated from field: bytes actor = 5;
     */
    actor: Uint8Array;
    /**
     * Unix seconds; the grant expires 395 days later.
     *
     * @generated from field: uint64 settlement_timestamp = 100;
     */
    settlementTimestamp: bigint;
    /**
     * @generated from field: repeated makechain.SettlementAttestation attestations = 101;
     */
    attestations: SettlementAttestation[];
};
/**
 * Describes the message makechain.StorageClaimBody.
 * Use `create(StorageClaimBodySchema)` to create a new message.
 */
export declare const StorageClaimBodySchema: GenMessage<StorageClaimBody>;
/**
 * SettlementAttestation is one attester's signature over a claim.
 *
 * @generated from message makechain.SettlementAttestation
 */
export type SettlementAttestation = Message<"makechain.SettlementAttestation"> & {
    /**
     * @generated from field: bytes attester = 1;
     */
    attester: Uint8Array;
    /**
     * @generated from field: bytes signature = 2;
     */
    signature: Uint8Array;
};
/**
 * Describes the message makechain.SettlementAttestation.
 * Use `create(SettlementAttestationSchema)` to create a new message.
 */
export declare const SettlementAttestationSchema: GenMessage<SettlementAttestation>;
