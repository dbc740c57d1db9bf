// Counts the checks that pass and prints those that fail.

export class Report {
  passed = 0;
  failed = 0;

  // check runs one vector. It fails if the body throws.
  check(name: string, body: () => void): void {
    try {
      body();
      this.passed++;
    } catch (error) {
      this.failed++;
      const text = error instanceof Error ? error.message : String(error);
      console.error(`FAIL ${name}\n     ${text.replaceAll("\n", "\n     ")}`);
    }
  }

  // section runs the checks of one file and prints their number.
  section(title: string, body: () => void): void {
    const before = this.passed + this.failed;
    const failedBefore = this.failed;
    this.check(`${title}: has vectors`, () => {
      body();
      if (this.passed + this.failed === before) throw new Error("no vector was checked");
    });
    const bad = this.failed - failedBefore;
    console.log(`${title}: ${this.passed + this.failed - before} checks${bad > 0 ? `, ${bad} FAILED` : ""}`);
  }
}

// same throws an error with both values if they differ.
export function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what}:\n  computed ${actual}\n  vector   ${expected}`);
}
