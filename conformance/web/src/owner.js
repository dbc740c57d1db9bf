import { randomBytes } from "node:crypto";

// newOwner makes up the address of an account.
export function newOwner() {
  return new Uint8Array(randomBytes(20));
}
