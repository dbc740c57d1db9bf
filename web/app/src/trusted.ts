// The policy of Trusted Types with which the page creates URLs of its own workers.

interface Policy {
  createScriptURL(url: string): string;
}

interface Factory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

let policy: Policy | undefined;

/** workerUrl returns the URL of a worker of the page, which is one of its own files. */
export function workerUrl(file: "live.js"): string {
  const rules = { createScriptURL: (url: string) => url };
  policy ??= (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy("makechain", rules) ?? rules;
  return policy.createScriptURL(new URL(file, document.baseURI).href);
}
