// The protobuf wire format, for the messages of CometBFT and ICS-23: their verification needs exact bytes, so that a message that
// is read is accepted in one encoding only, and what is hashed or signed is written here.
import { concat } from "./bytes.js";
const kindVarint = 0;
const kindFixed64 = 1;
const kindBytes = 2;
/** WireError means that bytes are not the accepted encoding of a message. */
export class WireError extends Error {
    name = "WireError";
}
/**
 * readFields returns the fields of a message. Only varints and bytes are accepted, varints in their shortest form, and numbers in
 * ascending order; numbers in repeated may occur more than once.
 */
export function readFields(message, repeated = []) {
    const fields = [];
    let at = 0;
    const varint = () => {
        let value = 0n;
        for (let shift = 0n; shift < 70n; shift += 7n) {
            const byte = message[at++];
            if (byte === undefined)
                throw new WireError("message is truncated");
            value |= BigInt(byte & 0x7f) << shift;
            if (byte < 0x80) {
                if ((byte === 0 && shift > 0n) || value >= 1n << 64n)
                    throw new WireError("varint is not in its shortest form");
                return value;
            }
        }
        throw new WireError("varint is too long");
    };
    let last = 0;
    while (at < message.length) {
        const tag = varint();
        const number = Number(tag >> 3n);
        if (number === 0 || number < last || (number === last && !repeated.includes(number))) {
            throw new WireError(`field ${number} is out of order`);
        }
        last = number;
        const value = varint();
        switch (Number(tag & 7n)) {
            case kindVarint:
                fields.push({ number, varint: value, bytes: undefined });
                break;
            case kindBytes: {
                if (value > BigInt(message.length - at))
                    throw new WireError("message is truncated");
                const end = at + Number(value);
                fields.push({ number, varint: 0n, bytes: message.subarray(at, end) });
                at = end;
                break;
            }
            default:
                throw new WireError(`field ${number} has an unexpected type`);
        }
    }
    return fields;
}
/** Message reads the fields of a message in the order of their numbers. A scalar with its default value must be missing. */
export class Message {
    #fields;
    #next = 0;
    constructor(encoded, repeated = []) {
        this.#fields = readFields(encoded, repeated);
    }
    /** message returns the encoding of an embedded message, undefined when it is missing. */
    message(number) {
        const field = this.#take(number);
        if (field !== undefined && field.bytes === undefined)
            throw new WireError(`field ${number} is not bytes`);
        return field?.bytes;
    }
    /** messages returns the encodings of all embedded messages of a repeated field. */
    messages(number) {
        const values = [];
        for (let value = this.message(number); value !== undefined; value = this.message(number))
            values.push(value);
        return values;
    }
    /** bytes returns a field of bytes, no bytes when it is missing. */
    bytes(number) {
        const value = this.message(number);
        if (value?.length === 0)
            throw new WireError(`field ${number} is empty`);
        return value ?? new Uint8Array();
    }
    /** uint returns a varint as an unsigned integer of 64 bits, 0 when it is missing. */
    uint(number) {
        const field = this.#take(number);
        if (field !== undefined && (field.bytes !== undefined || field.varint === 0n))
            throw new WireError(`field ${number} is not a number`);
        return field?.varint ?? 0n;
    }
    /** int returns a varint as a signed integer of 64 bits, 0 when it is missing. */
    int(number) {
        return BigInt.asIntN(64, this.uint(number));
    }
    /** end throws when there are fields that were not read. */
    end() {
        const field = this.#fields[this.#next];
        if (field !== undefined)
            throw new WireError(`field ${field.number} is unknown or has another type`);
    }
    #take(number) {
        const field = this.#fields[this.#next];
        if (field?.number !== number)
            return undefined;
        this.#next++;
        return field;
    }
}
/** varint encodes an unsigned integer, or a signed one as 64 bits. */
export function varint(value) {
    let left = BigInt.asUintN(64, value);
    const bytes = [];
    for (; left >= 0x80n; left >>= 7n)
        bytes.push(Number(left & 0x7fn) | 0x80);
    bytes.push(Number(left));
    return Uint8Array.from(bytes);
}
/** uintField encodes a field with a varint; none when it is 0. */
export function uintField(number, value) {
    return value === 0n ? new Uint8Array() : concat(varint(BigInt((number << 3) | kindVarint)), varint(value));
}
/** fixedField encodes a field with 64 bits, little-endian; none when it is 0. */
export function fixedField(number, value) {
    if (value === 0n)
        return new Uint8Array();
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigInt64(0, value, true);
    return concat(varint(BigInt((number << 3) | kindFixed64)), bytes);
}
/** bytesField encodes a field of bytes; none when they are empty. */
export function bytesField(number, value) {
    return value.length === 0 ? value : messageField(number, value);
}
/** messageField encodes a field with a message, also when it is empty. */
export function messageField(number, value) {
    return concat(varint(BigInt((number << 3) | kindBytes)), varint(BigInt(value.length)), value);
}
