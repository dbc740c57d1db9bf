// Byte strings: hex, comparison, concatenation.
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** hex returns the lower-case hex digits of bytes. */
export function hex(bytes) {
    let digits = "";
    for (const byte of bytes)
        digits += byte.toString(16).padStart(2, "0");
    return digits;
}
/** fromHex returns the bytes of hex digits, with or without 0x. It throws a TypeError for other text. */
export function fromHex(text) {
    const digits = text.replace(/^0[xX]/, "");
    if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits))
        throw new TypeError("not hex digits");
    const bytes = new Uint8Array(digits.length / 2);
    for (let i = 0; i < bytes.length; i++)
        bytes[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
    return bytes;
}
/** bytesEqual reports whether two byte strings are equal. */
export function bytesEqual(a, b) {
    return a.length === b.length && compareBytes(a, b) === 0;
}
/** compareBytes orders byte strings as the keys of the state: negative, zero or positive. */
export function compareBytes(a, b) {
    const length = Math.min(a.length, b.length);
    for (let i = 0; i < length; i++) {
        const difference = (a[i] ?? 0) - (b[i] ?? 0);
        if (difference !== 0)
            return difference;
    }
    return a.length - b.length;
}
/** hasPrefix reports whether bytes start with a prefix. */
export function hasPrefix(bytes, prefix) {
    return bytes.length >= prefix.length && bytesEqual(bytes.subarray(0, prefix.length), prefix);
}
/** concat joins byte strings. */
export function concat(...parts) {
    const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of parts) {
        joined.set(part, at);
        at += part.length;
    }
    return joined;
}
/** utf8 encodes text. */
export function utf8(text) {
    return encoder.encode(text);
}
/** fromUtf8 decodes text. It throws a TypeError for bytes that are not UTF-8. */
export function fromUtf8(bytes) {
    return decoder.decode(bytes);
}
/** bigEndian encodes an unsigned integer in a number of bytes. */
export function bigEndian(value, size) {
    return fromHex(value.toString(16).padStart(2 * size, "0"));
}
