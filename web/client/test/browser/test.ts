// node:test in a browser: the tests run one after the other.

const declared: { readonly name: string; readonly body: () => unknown }[] = [];

/** test declares a test. */
export function test(name: string, body: () => unknown): void {
  declared.push({ name, body });
}

/** run runs the declared tests and returns how many passed and why others failed. */
export async function run(): Promise<{ passed: number; failures: string[] }> {
  const failures: string[] = [];
  for (const { name, body } of declared) {
    try {
      await body();
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  return { passed: declared.length - failures.length, failures };
}
