// The client of a node: verified reads.
import { FaucetService, MakechainService } from "../gen/schema.js";
import { hex } from "./bytes.js";
import { connectCalls, hasCode, sleep } from "./calls.js";
import { Certifier } from "./certify.js";
import { maxPageRows } from "./proof/bounds.js";
import { verifyCompactRange } from "./proof/compact.js";
import { verifyAbsence, verifyMembership } from "./proof/existence.js";
import { verifyQuota } from "./proof/quota.js";
import { verifyRange } from "./proof/range.js";
import { resolveAccount, resolveProject } from "./resolve.js";
import { decodeValue, readEntry, rowKey, rows } from "./schema.js";
import { after, failed, within } from "./steps.js";
import { streamBlocks, streamMessages } from "./stream.js";
import { awaitCommitted, submit } from "./submit.js";
/** maxReadAttempts is how often a read is repeated while its row is created or deleted between two calls. */
const maxReadAttempts = 5;
/** maxListAttempts is how often a list is read when the node no longer keeps its root. */
const maxListAttempts = 3;
/** A node that returns a state before the highest known block is asked again for this time, in milliseconds. */
const defaultRollbackTimeout = 10_000;
const rollbackPoll = 250;
/** maxClockDifference is how far clocks may differ, in seconds. */
const maxClockDifference = 60;
/** RollbackError means that a node returned a state before the highest block that is known: it is behind, or conceals what happened. */
export class RollbackError extends Error {
    chainId;
    block;
    highest;
    name = "RollbackError";
    constructor(chainId, block, highest) {
        super(`the node returned the state after block ${block} of chain ${chainId}, but block ${highest} is known`);
        this.chainId = chainId;
        this.block = block;
        this.highest = highest;
    }
}
/** Client calls a node and verifies its answers. */
export class Client {
    url;
    options;
    /** Every call of the node, unverified: the node's word. */
    calls;
    /** The faucet, which only development chains have. */
    faucet;
    #certifier;
    constructor(url, options = {}) {
        this.url = url;
        this.options = options;
        const fetcher = options.fetch ?? ((input, init) => fetch(input, init));
        this.calls = connectCalls(MakechainService, url, fetcher);
        this.faucet = connectCalls(FaucetService, url, fetcher);
        this.#certifier = new Certifier(url, this.calls, options);
    }
    /** trusted returns the validators that are trusted now. */
    trusted() {
        return this.#certifier.trusted();
    }
    /** certify returns the state after a block, or the newest, as trusted validators signed it. */
    async certify(block) {
        if (block !== undefined)
            return this.#certifier.root(block);
        return this.#newest(async () => this.#certifier.root((await this.calls.getNodeStatus({})).currentBlock));
    }
    /** row reads a row, undefined when there is none; either is proven. */
    row(row, ...key) {
        const encoded = rowKey(row, ...key);
        return this.#newest(() => this.#row(row, encoded));
    }
    async #row(row, key) {
        const { value, proof, blockNumber, root } = await this.#proof(key);
        const { evidence } = await this.#certifier.rootOf({ blockNumber, root });
        const at = { name: "key", detail: `row ${hex(key)} of the family ${row.name}` };
        return after([...evidence.steps, at], () => {
            if (value === undefined)
                verifyAbsence(evidence.root, key, proof);
            else
                verifyMembership(evidence.root, key, value, proof);
            const path = value === undefined ? "the rows before and after it lead to the root, so that it does not exist" : "its hashes lead to the root";
            return { value: value && decodeValue(row, value), evidence: withSteps(evidence, at, { name: "path", detail: path }) };
        });
    }
    /** #proof requests the proof of a row, and when there is no such row the proof of its absence. */
    async #proof(key) {
        for (let attempt = 1;; attempt++) {
            try {
                return await this.calls.getOperationProof({ key });
            }
            catch (error) {
                if (!hasCode(error, "not_found"))
                    throw error;
            }
            try {
                return { ...(await this.calls.getExclusionProof({ key })), value: undefined };
            }
            catch (error) {
                // FailedPrecondition means that the row was created between the two calls.
                if (!hasCode(error, "failed_precondition") || attempt === maxReadAttempts)
                    throw error;
            }
        }
    }
    /**
     * rows reads the rows whose keys start with the given parts, page by page. Each page is proven to be complete; rows that are added
     * or deleted between two pages may be missing.
     */
    async *rows(row, ...prefix) {
        const start = rowKey(row, ...prefix);
        let cursor = new Uint8Array();
        do {
            const from = cursor;
            const { page, proven } = await this.#newest(() => this.#rows(row, start, from));
            yield proven;
            cursor = page.nextCursor;
        } while (cursor.length > 0);
    }
    async #rows(row, prefix, cursor) {
        const page = await this.calls.getRangeProof({ prefix, cursor, limit: maxPageRows });
        const { evidence } = await this.#certifier.rootOf(page);
        const at = { name: "key", detail: `rows ${hex(prefix)} of the family ${row.name}` };
        return after([...evidence.steps, at], () => {
            verifyRange(evidence.root, prefix, cursor, page);
            const entries = page.entries.map(({ key, value }) => readEntry(row, key, value));
            const detail = `${entries.length} rows lead to the root, and no row is missing between them${page.complete ? " or after them" : ""}`;
            const proven = { value: entries, evidence: withSteps(evidence, at, { name: "range", detail }) };
            return { page, proven, evidence };
        });
    }
    /** project reads a project with its metadata, its fork parent and all its refs. */
    project(id) {
        return this.#newest(() => this.#project(id));
    }
    async #project(id) {
        let parts = { row: undefined, metadata: new Map(), forkParent: undefined };
        const { value, evidence } = await this.#pages(rows.ref, rowKey(rows.ref, id), async (cursor, first) => {
            const page = await this.calls.getProjectProof({ projectId: id, cursor });
            const verify = (root) => {
                const [row] = within("project", () => readAll(rows.project, root, rowKey(rows.project, id), page.project));
                const metadata = within("metadata", () => readAll(rows.projectMetadata, root, rowKey(rows.projectMetadata, id), page.metadata));
                const [fork] = within("fork parent", () => readAll(rows.forkParent, root, rowKey(rows.forkParent, id), page.forkParent));
                parts = { row: row?.value, metadata: new Map(metadata.map((entry) => [entry.field, entry.value.value])), forkParent: fork?.value };
            };
            return { ...page, rows: page.refs, verify: first ? verify : undefined };
        });
        return { value: { id, ...parts, refs: value }, evidence };
    }
    /** contents reads the contents of a project: the digests of git bundles and where they were published. */
    async *contents(id) {
        yield await this.#newest(() => this.#pages(rows.content, rowKey(rows.content, id), async (cursor) => {
            const page = await this.calls.listContent({ projectId: id, cursor, limit: maxPageRows });
            return { ...page, rows: page.contents, verify: undefined };
        }));
    }
    /** quota reads how much storage an account has now and the limits that follow. */
    quota(owner) {
        return this.#newest(async () => {
            const answer = await this.calls.getStorageQuotaProof({ ownerAddress: owner });
            const { evidence } = await this.#certifier.rootOf(answer);
            const at = { name: "key", detail: `storage of 0x${hex(owner)} at ${answer.asOfUnixTime}` };
            return after([...evidence.steps, at], () => {
                // Grants that have expired since would count at an earlier time.
                const earliest = evidence.time.getTime() / 1000 - maxClockDifference;
                if (answer.asOfUnixTime < earliest)
                    throw failed("claim", `storage at ${answer.asOfUnixTime}, long before the state`);
                const value = verifyQuota(evidence.root, owner, answer.asOfUnixTime, answer);
                const detail = `${answer.grants.length} grants, the account and its username lead to the root, and no grant is missing`;
                return { value, evidence: withSteps(evidence, at, { name: "range", detail }) };
            });
        });
    }
    /** resolveAccount returns the address of an account by its username or address. An address is returned unchecked. */
    resolveAccount(name) {
        return resolveAccount(this, name);
    }
    /** resolveProject returns the id of a project by its name, alice/hello, or its id. An id is returned unchecked. */
    resolveProject(name) {
        return resolveProject(this, name);
    }
    /** submit submits a message and returns its hash. It throws a RefusedError when the node refuses it. */
    submit(message) {
        return submit(this.calls, message);
    }
    /**
     * awaitCommitted waits until a submitted message is committed and returns the number of its block, by the node's word. It throws a
     * RefusedError when the message was refused or has expired, and an UnknownMessageError when the node does not have it.
     */
    awaitCommitted(hash, signal) {
        return awaitCommitted(this.calls, hash, signal);
    }
    /** blocks yields blocks as they commit, by the node's word. It resumes where a connection broke. */
    blocks(options = {}) {
        return streamBlocks(this.calls, options);
    }
    /** messages yields messages as they commit, in order and without gaps, by the node's word. It resumes where a connection broke. */
    messages(filter = {}, options = {}) {
        return streamMessages(this.calls, filter, options);
    }
    /** #pages reads all pages of a list at one root. fetch requests a page. */
    async #pages(row, prefix, fetch) {
        const entries = [];
        let root;
        let last;
        for (let cursor = new Uint8Array();;) {
            const page = await fetch(cursor, root === undefined);
            root ??= await this.#certifier.verified(page.lightBlock, page.blockNumber);
            const { evidence, value } = root;
            if (page.blockNumber !== value.block)
                throw failed("root", `pages of blocks ${value.block} and ${page.blockNumber} for one list`);
            const complete = page.nextCursor.length === 0;
            after(evidence.steps, () => {
                page.verify?.(value.root);
                if (page.rows === undefined)
                    throw failed("encoding", "response has no rows");
                verifyCompactRange(value.root, prefix, last, complete, page.rows);
                for (const { key, value } of page.rows.rows)
                    entries.push(readEntry(row, key, value));
            });
            last = page.rows?.rows.at(-1)?.key;
            if (complete) {
                const detail = `${entries.length} rows of the family ${row.name} lead to the root, and no row is missing`;
                return { value: entries, evidence: withSteps(evidence, { name: "key", detail: `rows ${hex(prefix)}` }, { name: "range", detail }) };
            }
            cursor = page.nextCursor;
        }
    }
    /**
     * #newest calls read until it returns a state that is not before the highest block that was known when it was called. It repeats a
     * list whose root the node no longer keeps.
     */
    async #newest(read) {
        const { block: highest } = await this.#certifier.highest();
        let deadline;
        for (let attempt = 1;; attempt++) {
            try {
                const result = await read();
                if (result.evidence.block >= highest)
                    return result;
                deadline ??= Date.now() + (this.options.rollbackTimeout ?? defaultRollbackTimeout);
                if (Date.now() >= deadline)
                    throw new RollbackError(result.evidence.chainId, result.evidence.block, highest);
            }
            catch (error) {
                if (!hasCode(error, "aborted") || attempt >= maxListAttempts)
                    throw error;
            }
            await sleep(rollbackPoll);
        }
    }
}
/** readAll verifies a complete proof of the rows with a prefix and decodes them. */
function readAll(row, root, prefix, proof) {
    if (proof === undefined)
        throw failed("encoding", "response has no rows");
    verifyCompactRange(root, prefix, undefined, true, proof);
    return proof.rows.map(({ key, value }) => readEntry(row, key, value));
}
/** withSteps adds steps to evidence. */
export function withSteps(evidence, ...steps) {
    return { ...evidence, steps: [...evidence.steps, ...steps] };
}
