// Reading objects by id from the content service of a node. Nothing of an answer is used before its id was recomputed.
import { readBody } from "../body.js";
import { sleep } from "../calls.js";
import { ProofError } from "../evidence.js";
import { hashObject, isObjectId, isObjectType } from "./object.js";
/** The size of the largest object that a content service serves. */
export const maxObjectBytes = 8 << 20;
/** The size of the largest problem document that is read. */
const maxProblemBytes = 64 << 10;
/** How many requests are sent at a time: a content service accepts four of one address. */
const maxRequests = 4;
/** The default size of the cache of a store. */
const defaultCacheBytes = 32 << 20;
/** How often a request is repeated while the service is busy, and the first pause in milliseconds, which doubles. */
const busyRetries = 6;
const busyPause = 100;
/** ContentError means that an object could not be read. */
export class ContentError extends Error {
    status;
    constructor(message, 
    /** The HTTP status, 404 if the service does not have the object; 0 if there was no answer. */
    status) {
        super(message);
        this.status = status;
        this.name = "ContentError";
    }
}
/** firstOf reads an object from the first source that has it, as for a fork and the project that it was forked from. If none has it, the error is that of the first. */
export function firstOf(...sources) {
    return {
        async get(id, signal) {
            let missing;
            for (const source of sources) {
                try {
                    return await source.get(id, signal);
                }
                catch (error) {
                    if (!(error instanceof ContentError && error.status === 404))
                        throw error;
                    missing ??= error;
                }
            }
            throw missing ?? new ContentError(`there is no store for object ${id}`, 404);
        },
    };
}
/** ObjectStore reads the objects of one project. Concurrent reads of the same object share a request. */
export class ObjectStore {
    url;
    project;
    options;
    cache = new Map();
    cached = 0;
    pending = new Map();
    running = 0;
    queue = [];
    constructor(url, 
    /** The id of the project, 64 hex digits. */
    project, options = {}) {
        this.url = url;
        this.project = project;
        this.options = options;
    }
    /**
     * get returns an object. It throws a ProofError with the step "object" if the content does not have this id, and a ContentError if there is
     * none. When the signals of all readers of an object are aborted, so is the request.
     */
    async get(id, signal) {
        if (!isObjectId(id))
            throw new RangeError(`${id} is not an object id`);
        signal?.throwIfAborted();
        const known = this.cache.get(id);
        if (known !== undefined) {
            this.cache.delete(id); // the order of the map is that of use
            this.cache.set(id, known);
            return known;
        }
        const pending = this.pending.get(id) ?? this.start(id);
        pending.waiting++;
        try {
            return await abortable(pending.object, signal);
        }
        finally {
            if (--pending.waiting === 0) {
                pending.abort.abort();
                if (this.pending.get(id) === pending)
                    this.pending.delete(id);
            }
        }
    }
    start(id) {
        const abort = new AbortController();
        const object = this.enqueue(id, abort.signal);
        object.catch(() => undefined); // reported to those who wait
        const pending = { object, abort, waiting: 0 };
        this.pending.set(id, pending);
        return pending;
    }
    async enqueue(id, signal) {
        while (this.running >= maxRequests)
            await new Promise((resume) => this.queue.push(resume));
        this.running++;
        try {
            const object = await this.read(id, signal);
            this.keep(object);
            return object;
        }
        finally {
            this.running--;
            this.queue.shift()?.();
        }
    }
    keep(object) {
        const limit = this.options.cacheBytes ?? defaultCacheBytes;
        const cost = ({ content }) => content.length + 256;
        if (cost(object) > limit / 2)
            return;
        this.cache.set(object.id, object);
        this.cached += cost(object);
        for (const [id, oldest] of this.cache) {
            if (this.cached <= limit)
                break;
            this.cache.delete(id);
            this.cached -= cost(oldest);
        }
    }
    async read(id, signal) {
        const response = await this.request(id, signal);
        const type = response.headers.get("Makechain-Object-Type");
        if (!isObjectType(type))
            throw new ContentError(`object ${id}: the answer does not name the type of the object`, response.status);
        const content = await readContent(response, id);
        const found = hashObject(id.length === 40 ? 40 : 64, type, content);
        if (found !== id)
            throw new ProofError("object", `asked for ${id}, and the content is that of ${type} ${found}`);
        return { id, type, content };
    }
    async request(id, signal) {
        const authorization = await this.options.authorization?.();
        const headers = authorization === undefined ? {} : { Authorization: authorization };
        const url = `${this.url.replace(/\/$/, "")}/v1/content/${this.project}/objects/${id}`;
        for (let attempt = 0;; attempt++) {
            signal.throwIfAborted();
            const response = await (this.options.fetch ?? fetch)(url, {
                headers,
                signal,
                credentials: "omit",
                redirect: "error",
                cache: authorization === undefined ? "default" : "no-store", // private content is not left on the disk of the browser
            });
            if (response.ok)
                return response;
            if ((response.status !== 429 && response.status !== 503) || attempt === busyRetries)
                throw await refusal(response, id);
            await response.body?.cancel();
            await sleep(busyPause * 2 ** attempt, signal);
        }
    }
}
/** readContent reads at most maxObjectBytes. */
async function readContent(response, id) {
    const content = await readBody(response, maxObjectBytes);
    if (content === undefined)
        throw new ContentError(`object ${id} is larger than ${maxObjectBytes} bytes: read it with git`, 413);
    return content;
}
/** refusal returns the error that a problem document describes. */
async function refusal(response, id) {
    if (response.status === 404)
        return new ContentError(`the node does not have object ${id}`, 404);
    let detail = "";
    try {
        const problem = JSON.parse(new TextDecoder().decode(await readBody(response, maxProblemBytes)));
        if (typeof problem === "object" && problem !== null && "detail" in problem)
            detail = String(problem.detail);
    }
    catch {
        // not a problem document
    }
    return new ContentError(`object ${id}: ${detail === "" ? `HTTP ${response.status}` : detail}`, response.status);
}
/** abortable rejects when the signal is aborted, even if the promise does not settle. */
function abortable(promise, signal) {
    if (signal === undefined)
        return promise;
    return new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason);
        if (signal.aborted)
            return abort();
        signal.addEventListener("abort", abort, { once: true });
        promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
}
