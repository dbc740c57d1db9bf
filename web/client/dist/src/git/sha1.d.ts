/** Vector is a disturbance vector: the difference of the 80 expanded words, and the step after which both states are equal. */
interface Vector {
    readonly difference: Int32Array;
    readonly step: 58 | 65;
    /** Conditions, five numbers each: word, bit, word, bit, and 1 if the bits differ. */
    readonly conditions: Uint8Array;
}
/** vectors are the disturbance vectors that are checked. */
export declare const vectors: readonly Vector[];
/** Sha1 hashes bytes and reports whether one of the blocks belongs to a collision attack. */
export declare class Sha1 {
    /** Whether a block was seen that belongs to a collision attack. The digest is then not trustworthy. */
    collision: boolean;
    private readonly chain;
    private readonly words;
    private readonly other;
    private readonly state;
    private readonly start;
    private readonly states;
    private readonly block;
    private readonly view;
    private length;
    /** update adds bytes. */
    update(bytes: Uint8Array): this;
    /** digest returns the 20 bytes of the hash. It may be called once. */
    digest(): Uint8Array;
    private compress;
    /** collides compresses the partner of the block, and reports whether it ends in the same chaining value. */
    private collides;
}
export {};
