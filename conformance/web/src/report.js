// Counts checks and prints those that fail.

import assert from "node:assert/strict";

export class Report {
  passed = 0;
  failed = 0;

  // check runs one check and continues if it fails.
  async check(name, run) {
    try {
      await within(30_000, run());
      this.passed++;
    } catch (reason) {
      this.failed++;
      console.error(`${name}: ${reason?.stack ?? reason}`);
    }
  }
}

export const { deepEqual, equal, ok, rejects } = assert;

function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timeout after ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
