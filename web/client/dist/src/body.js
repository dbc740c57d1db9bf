// Bodies of responses, with a bound on their size.
import { concat } from "./bytes.js";
/** readBody reads the body of a response. It returns undefined, and ends the transfer, if it is larger than the limit. */
export async function readBody(response, limit) {
    if (Number(response.headers.get("Content-Length") ?? 0) > limit) {
        await response.body?.cancel();
        return undefined;
    }
    const parts = [];
    let size = 0;
    for await (const part of chunks(response)) {
        size += part.length;
        if (size > limit)
            return undefined;
        parts.push(part);
    }
    return concat(...parts);
}
/** chunks reads a body. It ends the transfer when the caller stops. */
export async function* chunks(response) {
    const reader = response.body?.getReader();
    if (reader === undefined)
        return;
    try {
        for (let next = await reader.read(); !next.done; next = await reader.read())
            yield next.value;
    }
    finally {
        reader.cancel().catch(() => undefined); // the connection may be broken
    }
}
