/** hex returns the lower-case hex digits of bytes. */
export declare function hex(bytes: Uint8Array): string;
/** fromHex returns the bytes of hex digits, with or without 0x. It throws a TypeError for other text. */
export declare function fromHex(text: string): Uint8Array;
/** bytesEqual reports whether two byte strings are equal. */
export declare function bytesEqual(a: Uint8Array, b: Uint8Array): boolean;
/** compareBytes orders byte strings as the keys of the state: negative, zero or positive. */
export declare function compareBytes(a: Uint8Array, b: Uint8Array): number;
/** hasPrefix reports whether bytes start with a prefix. */
export declare function hasPrefix(bytes: Uint8Array, prefix: Uint8Array): boolean;
/** concat joins byte strings. */
export declare function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>;
/** utf8 encodes text. */
export declare function utf8(text: string): Uint8Array;
/** fromUtf8 decodes text. It throws a TypeError for bytes that are not UTF-8. */
export declare function fromUtf8(bytes: Uint8Array): string;
/** bigEndian encodes an unsigned integer in a number of bytes. */
export declare function bigEndian(value: bigint, size: number): Uint8Array;
