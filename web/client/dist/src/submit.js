// Submission of messages.
import { MessageState } from "../gen/schema.js";
import { hex } from "./bytes.js";
import { hasCode, isUnreachable, sleep } from "./calls.js";
const maxAttempts = 5;
const firstDelay = 50;
const maxDelay = 1_000;
const minPoll = 5;
const maxPoll = 250;
/** RefusedError means that a message was refused. Submitting it again fails until the state changes. */
export class RefusedError extends Error {
    stage;
    code;
    reason;
    hash;
    name = "RefusedError";
    constructor(
    /** verification, validation, authorization or state transition. */
    stage, 
    /** A code of docs/errors.md. */
    code, reason, hash) {
        super(`refused at ${stage} (${code}): ${reason}`);
        this.stage = stage;
        this.code = code;
        this.reason = reason;
        this.hash = hash;
    }
}
/** UnknownMessageError means that the node does not have a message, which can be submitted again. */
export class UnknownMessageError extends Error {
    hash;
    name = "UnknownMessageError";
    constructor(hash) {
        super(`the node does not know the message ${hex(hash)}`);
        this.hash = hash;
    }
}
/** submit submits a message. It is pending when submit returns. When the connection breaks, it asks whether the message arrived. */
export async function submit(calls, message) {
    for (let attempt = 1, delay = firstDelay;; attempt++, delay = Math.min(2 * delay, maxDelay)) {
        try {
            const result = await calls.submitMessage({ message });
            // A message that arrived with an earlier attempt is a duplicate.
            if (result.accepted || (result.code === "duplicate" && attempt > 1 && (await isAdmitted(calls, message.hash))))
                return message.hash;
            throw new RefusedError(result.stage, result.code, result.error, message.hash);
        }
        catch (error) {
            if (!isUnreachable(error) || attempt === maxAttempts)
                throw error;
        }
        await sleep(delay);
        if (await isAdmitted(calls, message.hash))
            return message.hash;
    }
}
/** isAdmitted reports whether the node has a message. It throws a RefusedError when the message was refused. */
async function isAdmitted(calls, hash) {
    const status = await calls.getMessageStatus({ hash });
    outcome(hash, status);
    return status.state === MessageState.PENDING || status.state === MessageState.COMMITTED;
}
/** awaitCommitted waits until a submitted message is committed, and returns the number of its block: the node's word. */
export async function awaitCommitted(calls, hash, signal) {
    for (let delay = minPoll;; delay = Math.min(2 * delay, maxPoll)) {
        const status = await poll(calls, hash, signal);
        if (status !== undefined) {
            const block = outcome(hash, status);
            if (block !== undefined)
                return block;
            if (status.state !== MessageState.PENDING)
                throw new UnknownMessageError(hash);
        }
        await sleep(delay, signal);
    }
}
/** poll returns the status of a message, undefined when the call took too long. */
async function poll(calls, hash, signal) {
    try {
        return await calls.getMessageStatus({ hash }, signal === undefined ? {} : { signal });
    }
    catch (error) {
        if (hasCode(error, "deadline_exceeded") && signal?.aborted !== true)
            return undefined;
        throw error;
    }
}
/** outcome returns the block of a committed message, undefined for one that is not. It throws when the message was refused. */
function outcome(hash, status) {
    switch (status.state) {
        case MessageState.COMMITTED:
            return status.blockNumber;
        case MessageState.REFUSED:
            throw new RefusedError(status.stage, status.code, status.error, hash);
        case MessageState.EXPIRED:
            throw new RefusedError("state transition", "expired", "the message was not included in a block in time", hash);
        default:
            return undefined;
    }
}
