// Calls of a node with the Connect protocol over fetch, with bounds on what a node may return and retries of reads.
import { chunks, readBody } from "./body.js";
import { concat } from "./bytes.js";
import { create, decode, encode, type Init, type MessageDesc } from "./protobuf.js";
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

/** Method is a method of a service. */
export interface Method<I = unknown, O = unknown, K extends "unary" | "stream" = "unary" | "stream"> {
  readonly name: string;
  readonly kind: K;
  readonly input: MessageDesc<I>;
  readonly output: MessageDesc<O>;
  /** Whether it has no effects, so that it may be repeated. */
  readonly isRead: boolean;
}

/** method describes a method. */
export function method<I, O, K extends "unary" | "stream">(name: string, kind: K, input: MessageDesc<I>, output: MessageDesc<O>, isRead = false): Method<I, O, K> {
  return { name, kind, input, output, isRead };
}

interface Service {
  readonly typeName: string;
  readonly methods: Readonly<Record<string, Method>>;
}

/** CallOptions are options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Calls are the methods of a service. */
export type Calls<S extends Service> = {
  readonly [M in keyof S["methods"]]: S["methods"][M] extends Method<infer I, infer O, infer K>
    ? (request: Init<I>, options?: CallOptions) => K extends "stream" ? AsyncIterable<O> : Promise<O>
    : never;
};

/** CallError is an error that a node returned for a call. */
export class CallError extends Error {
  override readonly name = "CallError";

  constructor(
    /** A code of docs/errors.md, such as not_found; unavailable and unknown when there was no answer of a node. */
    readonly code: string,
    /** What the node reports. */
    readonly reason: string,
    /** How long the node asks to wait, in milliseconds. */
    readonly retryAfter?: number,
  ) {
    super(`${code}: ${reason}`);
  }
}

/** isUnreachable reports whether an error means that no node answered, as opposed to an error that a node returned. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof CallError && error.code === "unavailable");
}

/** hasCode reports whether an error is that of a node with a code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof CallError && error.code === code;
}

/** connectCalls returns the methods of a service of the node at a URL. */
export function connectCalls<S extends Service>(service: S, url: string, fetcher: typeof fetch): Calls<S> {
  const base = `${url.replace(/\/+$/, "")}/${service.typeName}/`;
  const calls = Object.entries(service.methods).map(([name, method]) => [
    name,
    (request: Init<unknown>, options: CallOptions = {}) => {
      const body = encode(method.input, create(method.input, request));
      const send = (type: string, sent: Uint8Array<ArrayBuffer>, signal: AbortSignal | undefined) =>
        fetcher(base + method.name, {
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
  return Object.fromEntries(calls) as Calls<S>;
}

/** unary makes a call. It repeats reads that did not arrive, and calls that the node refused because of its rate limit. */
async function unary(method: Method, send: (signal: AbortSignal) => Promise<Response>, caller: AbortSignal | undefined): Promise<unknown> {
  const deadline = Date.now() + callTimeout;
  const signals = [AbortSignal.timeout(callTimeout), ...(caller === undefined ? [] : [caller])];
  const signal = AbortSignal.any(signals);
  for (let attempt = 1, delay = firstDelay; ; ) {
    try {
      const response = await send(signal);
      if (!response.ok) throw await readError(response);
      return decodeResponse(method, await readBounded(response, maxResponse));
    } catch (error) {
      if (signal.aborted) throw caller?.aborted === true ? caller.reason : new CallError("deadline_exceeded", "the node did not answer in time");
      let wait = error instanceof CallError && error.code === "resource_exhausted" ? error.retryAfter : undefined;
      if (wait === undefined) {
        // GetFinalizedRoot is unavailable until the next block exists, for which its caller waits.
        if (!method.isRead || !isUnreachable(error) || method.name === "GetFinalizedRoot" || attempt++ === maxAttempts) throw error;
        wait = delay;
        delay = Math.min(2 * delay, maxDelay);
      }
      if (wait > maxRateDelay || Date.now() + wait > deadline) throw error;
      await sleep(wait, signal);
    }
  }
}

function decodeResponse(method: Method, body: Uint8Array): unknown {
  try {
    return decode(method.output, body);
  } catch (error) {
    if (error instanceof WireError) throw new CallError("internal", `the response of ${method.name} cannot be decoded: ${error.message}`);
    throw error;
  }
}

/** readBounded reads the body of a response. */
async function readBounded(response: Response, limit: number): Promise<Uint8Array> {
  const body = await readBody(response, limit);
  if (body === undefined) throw new CallError("resource_exhausted", `the response is larger than ${limit} bytes`);
  return body;
}

async function readError(response: Response): Promise<CallError> {
  const seconds = response.headers.get("Retry-After");
  const wait = seconds !== null && /^[0-9]{1,5}$/.test(seconds) ? Math.max(1000 * Number(seconds), firstDelay) : undefined;
  const body = await readBounded(response, maxError);
  return errorOf(new TextDecoder().decode(body), response.status, wait);
}

/** errorOf reads an error of the protocol. A response that is not one is of something between the client and the node. */
function errorOf(text: string, status: number, wait?: number): CallError {
  let error: { code?: unknown; message?: unknown } = {};
  try {
    error = Object(JSON.parse(text)) as typeof error;
  } catch {
    // not JSON
  }
  if (typeof error.code !== "string") return new CallError(status >= 500 || status === 429 ? "unavailable" : "unknown", `HTTP ${status}`, wait);
  return new CallError(error.code, typeof error.message === "string" ? error.message : "", wait);
}

const flagCompressed = 1;
const flagEnd = 2;
const headerSize = 5;

/** frame encodes a message of a stream: a byte of flags, its size in four bytes, the message. */
function frame(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const framed = new Uint8Array(headerSize + message.length);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, headerSize);
  return framed;
}

/** stream yields the messages of a stream until it ends, or throws its error. */
async function* stream(method: Method, send: () => Promise<Response>): AsyncGenerator<unknown, void, undefined> {
  const response = await send();
  if (!response.ok) throw await readError(response);
  let parts: Uint8Array[] = [];
  let held = 0;
  let needed = headerSize; // less is not looked at, so that a message of many parts is copied once
  for await (const part of chunks(response)) {
    parts.push(part);
    held += part.length;
    if (held < needed) continue;
    let pending: Uint8Array = concat(...parts);
    needed = headerSize;
    while (pending.length >= headerSize) {
      const flags = pending[0] ?? 0;
      const size = new DataView(pending.buffer, pending.byteOffset).getUint32(1);
      if (size > maxResponse || (flags & flagCompressed) !== 0) throw new CallError("internal", "the stream has a message that is compressed or too large");
      if (pending.length < headerSize + size) {
        needed = headerSize + size;
        break;
      }
      const message = pending.subarray(headerSize, headerSize + size);
      pending = pending.subarray(headerSize + size);
      if ((flags & flagEnd) !== 0) return endStream(message);
      yield decodeResponse(method, message);
    }
    parts = [pending];
    held = pending.length;
  }
  throw new CallError("unavailable", "the stream broke");
}

/** endStream throws the error with which a stream ended. */
function endStream(message: Uint8Array): void {
  const { error } = Object(JSON.parse(new TextDecoder().decode(message))) as { error?: unknown };
  if (error !== undefined) throw errorOf(JSON.stringify(error), 200);
}

/** sleep waits for a time in milliseconds. It throws the reason of a signal that is aborted. */
export function sleep(time: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, time);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
