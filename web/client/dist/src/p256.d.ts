/** order is the number of points of the curve. */
export declare const order = 115792089210356248762697446949407573529996955224135760342422259061068512044369n;
/** isPoint reports whether 64 bytes, x and y, are a point of the curve. */
export declare function isPoint(point: Uint8Array): boolean;
/** recoverPoints returns the two points whose key may have made the signature r, s of a hash of 32 bytes; none if r is of no point. */
export declare function recoverPoints(r: bigint, s: bigint, hash: Uint8Array): Uint8Array[];
/** parseDer returns r and s of an ECDSA signature in DER. It throws a TypeError unless it is one. */
export declare function parseDer(der: Uint8Array): {
    readonly r: bigint;
    readonly s: bigint;
};
