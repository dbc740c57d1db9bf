/**
 * verifyInclusion verifies that a transaction is in the block whose header has a transactions root, at the given position. The root does
 * not commit to the number of transactions, so a dishonest node can state a wrong position; that the block contains the transaction is certain.
 */
export declare function verifyInclusion(transactionsRoot: Uint8Array, position: number, transaction: Uint8Array, proof: Uint8Array): void;
