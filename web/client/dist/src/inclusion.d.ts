import { type Message } from "../gen/schema.js";
import { type Client } from "./client.js";
import type { Proven } from "./evidence.js";
/** Included is a message that a block contains. */
export interface Included {
    readonly message: Message;
    readonly block: bigint;
    /** The position as the node states it. */
    readonly position: number;
}
/** readMessage returns a committed message by its hash: its hash and signature are valid, and a certified block contains it. */
export declare function readMessage(client: Client, hash: Uint8Array): Promise<Proven<Included>>;
