import { type Message, type MessageData } from "../gen/schema.js";
import { type Init } from "./protobuf.js";
/** MessageInit are the fields of a message: ownerAddress, network, timestamp and body. The type follows from the body. */
export type MessageInit = Omit<Init<MessageData>, "type">;
/** Signer signs the hashes of messages with an Ed25519 key of the account. */
export interface Signer {
    readonly publicKey: Uint8Array;
    sign(hash: Uint8Array): Uint8Array | Promise<Uint8Array>;
}
/** ed25519Signer returns the signer of an Ed25519 secret of 32 bytes. */
export declare function ed25519Signer(secret: Uint8Array): Signer;
/** messageData completes the fields of a message. The timestamp is that of the clock unless it is given. */
export declare function messageData(init: MessageInit): MessageData;
/** canonical returns the canonical encoding of a message's fields, which is hashed (P2.2). */
export declare function canonical(data: MessageData): Uint8Array;
/** hashMessage returns the hash of a message: BLAKE3 of its canonical encoding. */
export declare function hashMessage(data: MessageData): Uint8Array;
/** signMessage returns a signed message. */
export declare function signMessage(init: MessageInit, signer: Signer): Promise<Message>;
/** isSignedMessage reports whether the hash and the signature of a message are valid, whoever signed it. */
export declare function isSignedMessage(message: Message): boolean;
/** digest returns the BLAKE3 hash of bytes: the name of a git bundle, or what the chain stores of the message of a commit. */
export declare function digest(bytes: Uint8Array): Uint8Array;
