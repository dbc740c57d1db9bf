// Ids and formats of git objects. Parsers accept what git itself accepts with `git fsck`, and bound what they allocate by the size of the
// object, which the store bounds.
import { sha256 } from "@noble/hashes/sha2.js";
import { ProofError } from "../evidence.js";
import { Sha1 } from "./sha1.js";
/** MalformedError means that an object is the one that its id names, and not a valid object of git. */
export class MalformedError extends Error {
    constructor(message) {
        super(message);
        this.name = "MalformedError";
    }
}
const idPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** isObjectId reports whether text is a complete id of an object. */
export function isObjectId(text) {
    return idPattern.test(text);
}
/** objectId returns the id that 32 bytes on the chain stand for: a hash that ends in 12 zero bytes is a SHA-1 id. */
export function objectId(hash) {
    if (hash.length !== 32)
        throw new RangeError(`a hash of the chain has 32 bytes, not ${hash.length}`);
    const digits = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return digits.endsWith("0".repeat(24)) ? digits.slice(0, 40) : digits;
}
/** chainHash returns the 32 bytes that stand for an id on the chain. */
export function chainHash(id) {
    if (!isObjectId(id))
        throw new RangeError(`${id} is not an object id`);
    return Uint8Array.from(id.padEnd(64, "0").match(/../g) ?? [], (digits) => parseInt(digits, 16));
}
/**
 * hashObject computes the id of an object, in the format of an id with as many digits. It throws a ProofError if the content is part of a
 * collision attack on SHA-1, as git does.
 */
export function hashObject(digits, type, content) {
    const header = new TextEncoder().encode(`${type} ${content.length}\0`);
    const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (digits === 64)
        return hex(sha256.create().update(header).update(content).digest());
    const sha1 = new Sha1().update(header).update(content);
    const id = hex(sha1.digest());
    if (sha1.collision)
        throw new ProofError("object", `the content of ${type} ${id} belongs to a collision attack on SHA-1`);
    return id;
}
/** parseCommit parses the content of a commit. */
export function parseCommit({ id, type, content }) {
    if (type !== "commit")
        throw new MalformedError(`${id} is a ${type}, not a commit`);
    const { headers, body, text } = parseHeaders(id, content);
    const lines = new Lines(id, headers);
    const tree = lines.id("tree", id.length);
    const parents = [];
    while (lines.next()?.name === "parent")
        parents.push(lines.id("parent", id.length));
    const author = parseIdent(id, lines.take("author"));
    const committer = parseIdent(id, lines.take("committer"));
    const signed = headers.some(({ name }) => name === "gpgsig" || name === "gpgsig-sha256");
    return { id, tree, parents, author, committer, signed, message: text(body) };
}
/** parseTag parses the content of an annotated tag. */
export function parseTag({ id, type, content }) {
    if (type !== "tag")
        throw new MalformedError(`${id} is a ${type}, not a tag`);
    const { headers, body, text } = parseHeaders(id, content);
    const lines = new Lines(id, headers);
    const object = lines.id("object", id.length);
    const kind = lines.take("type");
    if (!isObjectType(kind))
        throw new MalformedError(`tag ${id} names an object of unknown type`);
    const name = lines.take("tag");
    const tagger = lines.next()?.name === "tagger" ? parseIdent(id, lines.take("tagger")) : undefined; // the oldest tags have none
    return { id, object, type: kind, name, tagger, message: text(body) };
}
export function isObjectType(text) {
    return text === "blob" || text === "commit" || text === "tag" || text === "tree";
}
/** Lines takes headers in their order. */
class Lines {
    of;
    headers;
    index = 0;
    constructor(of, headers) {
        this.of = of;
        this.headers = headers;
    }
    next() {
        return this.headers[this.index];
    }
    take(name) {
        const header = this.headers[this.index++];
        if (header?.name !== name)
            throw new MalformedError(`object ${this.of} has no "${name}" where it belongs`);
        return header.value;
    }
    id(name, digits) {
        const value = this.take(name);
        if (!isObjectId(value) || value.length !== digits)
            throw new MalformedError(`object ${this.of}: "${name}" is not an object id`);
        return value;
    }
}
/** parseHeaders splits an object into its headers, whose lines continue with a space, and what is after the first empty line. */
function parseHeaders(id, content) {
    const headers = [];
    let offset = 0;
    let label = "utf-8";
    const lines = [];
    while (offset < content.length && content[offset] !== 10) {
        const end = content.indexOf(10, offset);
        if (end < 0)
            throw new MalformedError(`object ${id} ends within a header`);
        lines.push([offset, end]);
        offset = end + 1;
    }
    const ascii = new TextDecoder("latin1");
    for (const [start, end] of lines) {
        const line = ascii.decode(content.subarray(start, Math.min(end, start + 64)));
        if (line.startsWith("encoding "))
            label = line.slice(9);
    }
    const decoder = decoderOf(label);
    const text = (bytes) => decoder.decode(bytes);
    for (const [start, end] of lines) {
        const line = content.subarray(start, end);
        const space = line.indexOf(32);
        if (space === 0)
            continue; // the continuation of a signature or of a merged tag, which are not shown
        if (space < 0)
            throw new MalformedError(`object ${id} has a header without a value`);
        headers.push({ name: ascii.decode(line.subarray(0, space)), value: text(line.subarray(space + 1)) });
    }
    return { headers, body: content.subarray(Math.min(offset + 1, content.length)), text };
}
/** decoderOf returns the decoder of an encoding that a commit names; UTF-8 for names that the platform does not know. */
function decoderOf(label) {
    try {
        return new TextDecoder(label, { ignoreBOM: true });
    }
    catch {
        return new TextDecoder("utf-8", { ignoreBOM: true });
    }
}
/** parseIdent parses "name <email> seconds zone". Old commits lack parts of it: what is missing is empty or zero. */
function parseIdent(id, text) {
    const match = /^([^<\n]*?) ?<([^>\n]*)>(?: (\d{1,15}) ([+-])(\d{2})(\d{2}))?/.exec(text);
    if (match === null)
        throw new MalformedError(`object ${id} has a malformed author, committer or tagger`);
    const [, name = "", email = "", seconds = "0", sign = "+", hours = "0", minutes = "0"] = match;
    return { name, email, time: Number(seconds), zone: (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) };
}
