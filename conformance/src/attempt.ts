// attempt returns undefined if the body throws.
export function attempt<T>(body: () => T): T | undefined {
  try {
    return body();
  } catch {
    return undefined;
  }
}
