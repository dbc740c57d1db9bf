/** Field is a field of a message: the number of its tag with a varint or with bytes. */
export interface Field {
    readonly number: number;
    readonly varint: bigint;
    readonly bytes: Uint8Array | undefined;
}
/** WireError means that bytes are not the accepted encoding of a message. */
export declare class WireError extends Error {
    readonly name = "WireError";
}
/**
 * readFields returns the fields of a message. Only varints and bytes are accepted, varints in their shortest form, and numbers in
 * ascending order; numbers in repeated may occur more than once.
 */
export declare function readFields(message: Uint8Array, repeated?: readonly number[]): Field[];
/** Message reads the fields of a message in the order of their numbers. A scalar with its default value must be missing. */
export declare class Message {
    #private;
    constructor(encoded: Uint8Array, repeated?: readonly number[]);
    /** message returns the encoding of an embedded message, undefined when it is missing. */
    message(number: number): Uint8Array | undefined;
    /** messages returns the encodings of all embedded messages of a repeated field. */
    messages(number: number): Uint8Array[];
    /** bytes returns a field of bytes, no bytes when it is missing. */
    bytes(number: number): Uint8Array;
    /** uint returns a varint as an unsigned integer of 64 bits, 0 when it is missing. */
    uint(number: number): bigint;
    /** int returns a varint as a signed integer of 64 bits, 0 when it is missing. */
    int(number: number): bigint;
    /** end throws when there are fields that were not read. */
    end(): void;
}
/** varint encodes an unsigned integer, or a signed one as 64 bits. */
export declare function varint(value: bigint): Uint8Array;
/** uintField encodes a field with a varint; none when it is 0. */
export declare function uintField(number: number, value: bigint): Uint8Array;
/** fixedField encodes a field with 64 bits, little-endian; none when it is 0. */
export declare function fixedField(number: number, value: bigint): Uint8Array;
/** bytesField encodes a field of bytes; none when they are empty. */
export declare function bytesField(number: number, value: Uint8Array): Uint8Array;
/** messageField encodes a field with a message, also when it is empty. */
export declare function messageField(number: number, value: Uint8Array): Uint8Array;
