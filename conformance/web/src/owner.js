import { randomBytes } from "node:crypto";

// newOwner returns a random account address.
export function newOwner() {
  return new Uint8Array(randomBytes(20));
}
