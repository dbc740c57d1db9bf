// Calls of a node with the Connect protocol over fetch, with bounds on what a node may return and retries of reads.
import { chunks, readBody } from "./body.js";
import { concat } from "./bytes.js";
import { create, decode, encode } from "./protobuf.js";
import { WireError } from "./wire.js";
/** maxResponse is the size of the largest response, and of the largest message of a stream, in bytes. */
const maxResponse = 8 << 20;
/** maxError is the size of the largest error, in bytes. */
const maxError = 64 << 10;
const callTimeout = 60_000;
const maxAttempts = 5;
const firstDelay = 50;
const maxDelay = 1_000;
/** maxRateDelay is the longest time for which a node may ask to wait before a call is repeated, in milliseconds. */
const maxRateDelay = 30_000;
/** method describes a method. */
export function method(name, kind, input, output, isRead = false) {
    return { name, kind, input, output, isRead };
}
/** CallError is an error that a node returned for a call. */
export class CallError extends Error {
    code;
    reason;
    retryAfter;
    name = "CallError";
    constructor(
    /** A code of docs/errors.md, such as not_found; unavailable and unknown when there was no answer of a node. */
    code, 
    /** What the node reports. */
    reason, 
    /** How long the node asks to wait, in milliseconds. */
    retryAfter) {
        super(`${code}: ${reason}`);
        this.code = code;
        this.reason = reason;
        this.retryAfter = retryAfter;
    }
}
/** isUnreachable reports whether an error means that no node answered, as opposed to an error that a node returned. */
export function isUnreachable(error) {
    return error instanceof TypeError || (error instanceof CallError && error.code === "unavailable");
}
/** hasCode reports whether an error is that of a node with a code. */
export function hasCode(error, code) {
    return error instanceof CallError && error.code === code;
}
/** connectCalls returns the methods of a service of the node at a URL. */
export function connectCalls(service, url, fetcher) {
    const base = `${url.replace(/\/+$/, "")}/${service.typeName}/`;
    const calls = Object.entries(service.methods).map(([name, method]) => [
        name,
        (request, options = {}) => {
            const body = encode(method.input, create(method.input, request));
            const send = (type, sent, signal) => fetcher(base + method.name, {
                method: "POST",
                headers: { "Content-Type": type, "Connect-Protocol-Version": "1" },
                body: sent,
                redirect: "error",
                ...(signal === undefined ? {} : { signal }),
            });
            return method.kind === "stream"
                ? stream(method, () => send("application/connect+proto", frame(body), options.signal))
                : unary(method, (signal) => send("application/proto", body, signal), options.signal);
        },
    ]);
    return Object.fromEntries(calls);
}
/** unary makes a call. It repeats reads that did not arrive, and calls that the node refused because of its rate limit. */
async function unary(method, send, caller) {
    const deadline = Date.now() + callTimeout;
    const signals = [AbortSignal.timeout(callTimeout), ...(caller === undefined ? [] : [caller])];
    const signal = AbortSignal.any(signals);
    for (let attempt = 1, delay = firstDelay;;) {
        try {
            const response = await send(signal);
            if (!response.ok)
                throw await readError(response);
            return decodeResponse(method, await readBounded(response, maxResponse));
        }
        catch (error) {
            if (signal.aborted)
                throw caller?.aborted === true ? caller.reason : new CallError("deadline_exceeded", "the node did not answer in time");
            let wait = error instanceof CallError && error.code === "resource_exhausted" ? error.retryAfter : undefined;
            if (wait === undefined) {
                // GetFinalizedRoot is unavailable until the next block exists, for which its caller waits.
                if (!method.isRead || !isUnreachable(error) || method.name === "GetFinalizedRoot" || attempt++ === maxAttempts)
                    throw error;
                wait = delay;
                delay = Math.min(2 * delay, maxDelay);
            }
            if (wait > maxRateDelay || Date.now() + wait > deadline)
                throw error;
            await sleep(wait, signal);
        }
    }
}
function decodeResponse(method, body) {
    try {
        return decode(method.output, body);
    }
    catch (error) {
        if (error instanceof WireError)
            throw new CallError("internal", `the response of ${method.name} cannot be decoded: ${error.message}`);
        throw error;
    }
}
/** readBounded reads the body of a response. */
async function readBounded(response, limit) {
    const body = await readBody(response, limit);
    if (body === undefined)
        throw new CallError("resource_exhausted", `the response is larger than ${limit} bytes`);
    return body;
}
async function readError(response) {
    const seconds = response.headers.get("Retry-After");
    const wait = seconds !== null && /^[0-9]{1,5}$/.test(seconds) ? Math.max(1000 * Number(seconds), firstDelay) : undefined;
    const body = await readBounded(response, maxError);
    return errorOf(new TextDecoder().decode(body), response.status, wait);
}
/** errorOf reads an error of the protocol. A response that is not one is of something between the client and the node. */
function errorOf(text, status, wait) {
    let error = {};
    try {
        error = Object(JSON.parse(text));
    }
    catch {
        // not JSON
    }
    if (typeof error.code !== "string")
        return new CallError(status >= 500 || status === 429 ? "unavailable" : "unknown", `HTTP ${status}`, wait);
    return new CallError(error.code, typeof error.message === "string" ? error.message : "", wait);
}
const flagCompressed = 1;
const flagEnd = 2;
const headerSize = 5;
/** frame encodes a message of a stream: a byte of flags, its size in four bytes, the message. */
function frame(message) {
    const framed = new Uint8Array(headerSize + message.length);
    new DataView(framed.buffer).setUint32(1, message.length);
    framed.set(message, headerSize);
    return framed;
}
/** stream yields the messages of a stream until it ends, or throws its error. */
async function* stream(method, send) {
    const response = await send();
    if (!response.ok)
        throw await readError(response);
    let parts = [];
    let held = 0;
    let needed = headerSize; // less is not looked at, so that a message of many parts is copied once
    for await (const part of chunks(response)) {
        parts.push(part);
        held += part.length;
        if (held < needed)
            continue;
        let pending = concat(...parts);
        needed = headerSize;
        while (pending.length >= headerSize) {
            const flags = pending[0] ?? 0;
            const size = new DataView(pending.buffer, pending.byteOffset).getUint32(1);
            if (size > maxResponse || (flags & flagCompressed) !== 0)
                throw new CallError("internal", "the stream has a message that is compressed or too large");
            if (pending.length < headerSize + size) {
                needed = headerSize + size;
                break;
            }
            const message = pending.subarray(headerSize, headerSize + size);
            pending = pending.subarray(headerSize + size);
            if ((flags & flagEnd) !== 0)
                return endStream(message);
            yield decodeResponse(method, message);
        }
        parts = [pending];
        held = pending.length;
    }
    throw new CallError("unavailable", "the stream broke");
}
/** endStream throws the error with which a stream ended. */
function endStream(message) {
    const { error } = Object(JSON.parse(new TextDecoder().decode(message)));
    if (error !== undefined)
        throw errorOf(JSON.stringify(error), 200);
}
/** sleep waits for a time in milliseconds. It throws the reason of a signal that is aborted. */
export function sleep(time, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted)
            return reject(signal.reason);
        const abort = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", abort);
            resolve();
        }, time);
        signal?.addEventListener("abort", abort, { once: true });
    });
}
