// The functions of node:assert/strict that the tests use, in a browser.

type Expected = RegExp | Record<string, unknown> | ((error: unknown) => boolean) | (new (...args: never[]) => Error);

function fail(message: string | undefined, detail: string): never {
  throw new Error(`${message ?? "assertion"}: ${detail}`);
}

/** show returns a text that is the same for equal values. */
function show(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return `${item}n`;
    if (item instanceof Uint8Array) return `bytes ${[...item].join()}`;
    return item === undefined ? "undefined" : item;
  });
}

function check(error: unknown, expected: Expected | undefined, message: string | undefined): void {
  if (expected === undefined || typeof expected === "string") return;
  if (expected instanceof RegExp) {
    if (!expected.test(String(error))) fail(message, `${String(error)} does not match ${expected}`);
  } else if (typeof expected === "function") {
    const isClass = expected.prototype instanceof Error;
    const accepted = isClass ? error instanceof expected : (expected as (error: unknown) => boolean)(error);
    if (!accepted) fail(message, `another error: ${String(error)}`);
  } else {
    for (const [name, value] of Object.entries(expected)) {
      if ((error as Record<string, unknown>)[name] !== value) fail(message, `${name} of ${String(error)} is not ${String(value)}`);
    }
  }
}

const assert = {
  ok(value: unknown, message?: string) {
    if (!value) fail(message, "not true");
  },
  equal(actual: unknown, expected: unknown, message?: string) {
    if (!Object.is(actual, expected)) fail(message, `${show(actual)} is not ${show(expected)}`);
  },
  notEqual(actual: unknown, expected: unknown, message?: string) {
    if (Object.is(actual, expected)) fail(message, `both are ${show(actual)}`);
  },
  deepEqual(actual: unknown, expected: unknown, message?: string) {
    if (show(actual) !== show(expected)) fail(message, `${show(actual)} is not ${show(expected)}`);
  },
  notDeepEqual(actual: unknown, expected: unknown, message?: string) {
    if (show(actual) === show(expected)) fail(message, `both are ${show(actual)}`);
  },
  doesNotThrow(body: () => unknown, message?: string) {
    try {
      body();
    } catch (error) {
      fail(message, String(error));
    }
  },
  throws(body: () => unknown, expected?: Expected, message?: string) {
    let thrown: { error: unknown } | undefined;
    try {
      body();
    } catch (error) {
      thrown = { error };
    }
    if (thrown === undefined) fail(message, "nothing was thrown");
    else check(thrown.error, expected, message);
  },
  async rejects(promise: Promise<unknown>, expected?: Expected, message?: string) {
    const error = await promise.then(() => undefined, (reason: unknown) => ({ reason }));
    if (error === undefined) fail(message, "nothing was thrown");
    else check(error.reason, expected, message);
  },
};

export default assert;
