// The messages of proto/: encoding and decoding by tables of fields. gen/ has their types, made by protobuf-es, whose runtime is more than
// a page should load; gen/schema.ts has the tables.
import { concat, fromUtf8, utf8 } from "./bytes.js";
import { messageField, varint, WireError } from "./wire.js";
/**
 * message describes a message by its fields: "name kind" with * for a repeated field, ? for one with presence and @name for one of a oneof.
 * The number is before the kind unless it is the next one. types returns the messages and enums of the fields that have one, in order.
 */
export function message(typeName, table, types = () => []) {
    let fields;
    return {
        typeName,
        get fields() {
            if (fields !== undefined)
                return fields;
            const named = types();
            let next = 0;
            let last = 0;
            fields = [...table.matchAll(/(\w+) (\d*)(\w)([*?]?)@?(\w*)/g)].map(([, name = "", number, kind, suffix, oneof = ""]) => {
                const type = kind === "m" || kind === "e" ? named[next++] : undefined;
                last = Number(number) || last + 1;
                return {
                    name,
                    localName: camelCase(name),
                    number: last,
                    kind: kind,
                    repeated: suffix === "*",
                    optional: suffix === "?",
                    oneof: oneof === "" ? undefined : { localName: camelCase(oneof) },
                    message: kind === "m" ? type : undefined,
                    enum: kind === "e" ? type : undefined,
                };
            });
            return fields;
        },
    };
}
/** enumeration describes an enum. */
export function enumeration(values) {
    return { value: Object.fromEntries(Object.entries(values).filter(([number]) => /^[0-9]+$/.test(number)).map(([number, localName]) => [number, { localName }])) };
}
const camelCase = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
/** create returns a message with all its fields. */
export function create(desc, init = {}) {
    const given = init;
    const made = empty(desc);
    for (const field of desc.fields) {
        const oneof = field.oneof && given[field.oneof.localName];
        const value = field.oneof === undefined ? given[field.localName] : oneof?.case === field.localName ? oneof.value : undefined;
        if (value !== undefined)
            set(made, field, field.repeated ? value.map((item) => nested(field, item)) : nested(field, value));
    }
    return made;
}
const nested = (field, value) => (field.message === undefined ? value : create(field.message, value));
function empty(desc) {
    const made = { $typeName: desc.typeName };
    for (const field of desc.fields) {
        if (field.oneof !== undefined)
            made[field.oneof.localName] = { case: undefined };
        else if (field.repeated)
            made[field.localName] = [];
        else if (field.kind !== "m" && !field.optional)
            made[field.localName] = defaultOf(field.kind);
    }
    return made;
}
function defaultOf(kind) {
    switch (kind) {
        case "s":
            return "";
        case "b":
            return false;
        case "y":
            return new Uint8Array();
        case "U":
            return 0n;
        default:
            return 0;
    }
}
function set(made, field, value) {
    if (field.oneof === undefined)
        made[field.localName] = value;
    else
        made[field.oneof.localName] = { case: field.localName, value };
}
/** encode returns the canonical encoding of a message: fields in the order of their numbers, default values omitted. */
export function encode(desc, value) {
    const fields = value;
    const parts = [];
    for (const field of desc.fields) {
        const oneof = field.oneof && fields[field.oneof.localName];
        const given = field.oneof === undefined ? fields[field.localName] : oneof?.case === field.localName ? oneof.value : undefined;
        if (given === undefined)
            continue;
        if (field.repeated)
            parts.push(...encodeList(field, given));
        else if (field.oneof !== undefined || field.optional || field.kind === "m" || !isDefault(given))
            parts.push(...encodeField(field, given));
    }
    return concat(...parts);
}
const isDefault = (value) => value === "" || value === 0 || value === 0n || value === false || (value instanceof Uint8Array && value.length === 0);
function encodeField(field, value) {
    const bytes = field.kind === "m" && field.message ? encode(field.message, value) : field.kind === "s" ? utf8(value) : field.kind === "y" ? value : undefined;
    return bytes === undefined ? [varint(BigInt(field.number << 3)), scalar(value)] : [messageField(field.number, bytes)];
}
const scalar = (value) => varint(typeof value === "bigint" ? value : BigInt(value));
/** encodeList encodes a repeated field; numbers are packed. */
function encodeList(field, values) {
    if (values.length === 0)
        return [];
    if (field.kind === "m" || field.kind === "s" || field.kind === "y")
        return values.flatMap((value) => encodeField(field, value));
    return [messageField(field.number, concat(...values.map(scalar)))];
}
/** decode decodes a message. Unknown fields are skipped. It throws a WireError for bytes that are not a message. */
export function decode(desc, bytes) {
    return read(desc, new Reader(bytes));
}
function read(desc, reader) {
    const made = empty(desc);
    while (reader.more) {
        const tag = reader.uint32();
        const field = byNumber(desc, tag >>> 3);
        const wire = tag & 7;
        const isBytes = field !== undefined && "msy".includes(field.kind);
        if (field === undefined || (wire !== (isBytes ? 2 : 0) && !(wire === 2 && field.repeated))) {
            reader.skip(wire);
        }
        else if (field.repeated && wire === 2 && !isBytes) {
            const packed = new Reader(reader.bytes());
            while (packed.more)
                made[field.localName].push(readScalar(field, packed));
        }
        else {
            const value = field.message === undefined ? readScalar(field, reader) : read(field.message, new Reader(reader.bytes()));
            if (field.repeated)
                made[field.localName].push(value);
            else
                set(made, field, value);
        }
    }
    return made;
}
function byNumber(desc, number) {
    return desc.fields.find((field) => field.number === number);
}
function readScalar(field, reader) {
    switch (field.kind) {
        case "s":
            return reader.text();
        case "y":
            return reader.bytes();
        case "U":
            return reader.uint64();
        case "b":
            return reader.uint64() !== 0n;
        case "e":
            return reader.uint32() | 0;
        default:
            return reader.uint32();
    }
}
/** Reader reads values of the wire format. */
class Reader {
    buffer;
    #at = 0;
    constructor(buffer) {
        this.buffer = buffer;
    }
    get more() {
        return this.#at < this.buffer.length;
    }
    /** uint32 reads a varint, of which the lower 32 bits count. */
    uint32() {
        let value = 0;
        for (let shift = 0; shift < 70; shift += 7) {
            const byte = this.#byte();
            if (shift < 32)
                value |= (byte & 0x7f) << shift;
            if (byte < 0x80)
                return value >>> 0;
        }
        throw new WireError("varint is too long");
    }
    uint64() {
        let value = 0n;
        for (let shift = 0n; shift < 70n; shift += 7n) {
            const byte = this.#byte();
            value |= BigInt(byte & 0x7f) << shift;
            if (byte < 0x80)
                return BigInt.asUintN(64, value);
        }
        throw new WireError("varint is too long");
    }
    bytes() {
        return this.#take(this.uint32());
    }
    text() {
        try {
            return fromUtf8(this.bytes());
        }
        catch (error) {
            throw error instanceof WireError ? error : new WireError("text is not UTF-8");
        }
    }
    skip(wire) {
        if (wire === 0)
            this.uint64();
        else if (wire === 1)
            this.#take(8);
        else if (wire === 2)
            this.bytes();
        else if (wire === 5)
            this.#take(4);
        else
            throw new WireError(`wire type ${wire}`);
    }
    #byte() {
        const byte = this.buffer[this.#at++];
        if (byte === undefined)
            throw new WireError("message is truncated");
        return byte;
    }
    #take(size) {
        const end = this.#at + size;
        if (end > this.buffer.length)
            throw new WireError("message is truncated");
        const taken = this.buffer.subarray(this.#at, end);
        this.#at = end;
        return taken;
    }
}
