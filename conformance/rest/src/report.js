// Counts checks and prints those that fail.

import assert from "node:assert/strict";

export class Report {
  passed = 0;
  failed = 0;

  // check runs one check and continues if it fails.
  async check(name, run) {
    try {
      await run();
      this.passed++;
    } catch (reason) {
      this.failed++;
      console.error(`${name}: ${reason?.stack ?? reason}`);
    }
  }

  // end prints the counts and returns the exit status.
  end() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 ? 0 : 1;
  }
}

export const { deepEqual, equal } = assert;
