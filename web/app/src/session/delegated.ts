// The delegated key of a session: derived from the passkey each time, so that no secret is stored.

const label = new TextEncoder().encode("makechain/delegated-key/v1");
const seedLength = 32;

/** prfInput returns the input of the PRF extension for a chain. */
export async function prfInput(chainId: string): Promise<Uint8Array<ArrayBuffer>> {
  const chain = new TextEncoder().encode(chainId);
  const text = new Uint8Array(label.length + 1 + chain.length);
  text.set(label);
  text.set(chain, label.length + 1);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text));
}

/**
 * deriveSeed returns the seed of the delegated key: HKDF-SHA-256 of the PRF output, with the chain id as salt, so that a chain that others
 * run at the same host, as on localhost, does not get the key of this one. It wipes its input.
 */
export async function deriveSeed(prf: Uint8Array<ArrayBuffer>, chainId: string): Promise<Uint8Array<ArrayBuffer>> {
  const secret = await crypto.subtle.importKey("raw", prf, "HKDF", false, ["deriveBits"]);
  prf.fill(0);
  const salt = new TextEncoder().encode(chainId);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info: label }, secret, seedLength * 8));
}

/** randomSeed returns the seed of a key for this session only. */
export function randomSeed(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(seedLength));
}
