/** readBody reads the body of a response. It returns undefined, and ends the transfer, if it is larger than the limit. */
export declare function readBody(response: Response, limit: number): Promise<Uint8Array | undefined>;
/** chunks reads a body. It ends the transfer when the caller stops. */
export declare function chunks(response: Response): AsyncGenerator<Uint8Array, void, undefined>;
