// Passkeys: creating one, and asking it for signatures. Nothing is stored in the page: a discoverable credential names itself.

/** Passkey is a credential of this browser or of a device next to it. */
export interface Passkey {
  readonly id: Uint8Array<ArrayBuffer>;
  /** The point of its P-256 key, x and y. */
  readonly publicKey: Uint8Array;
}

/** Assertion is a signature of a passkey over a challenge. */
export interface Assertion {
  readonly credentialId: Uint8Array<ArrayBuffer>;
  readonly authenticatorData: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  /** DER, with low or high S. */
  readonly signature: Uint8Array;
  /** What was stored with the passkey when it was created: see userHandle. */
  readonly userHandle: Uint8Array;
  /** The 32 bytes of the PRF extension, if they were asked for and the authenticator has it. */
  readonly prf: Uint8Array<ArrayBuffer> | undefined;
}

/** PasskeyError is a failure of a passkey, with a text for the user. */
export class PasskeyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PasskeyError";
  }
}

const es256 = -7;
const timeoutMilliseconds = 5 * 60_000;
/** accountHandle marks a user handle that names the account of the passkey. Others are random. */
const accountHandle = 1;
const addressLength = 20;
const pointLength = 64;

/** obstacle returns why passkeys cannot work on this page, or undefined. */
export function obstacle(): string | undefined {
  if (hostIsAddress(location.hostname)) return "Passkeys need a host name: a browser refuses them on a page that is opened by an IP address.";
  if (!isSecureContext) return "Passkeys need a secure connection: open this page with https, or at localhost.";
  if (!("PublicKeyCredential" in globalThis)) return "This browser has no passkeys. Use a current version of Chrome, Edge, Firefox or Safari.";
  return undefined;
}

/** hostIsAddress reports whether a host is an IP address, which cannot be a relying party. */
export function hostIsAddress(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.startsWith("[");
}

/**
 * createPasskey creates a passkey with a name that the browser shows. A passkey for an account that exists already names it, so that it is
 * found at sign-in: only the account of a root key follows from the key itself.
 */
export async function createPasskey(name: string, account?: Uint8Array): Promise<Passkey> {
  const handle = account === undefined ? crypto.getRandomValues(new Uint8Array(32)) : new Uint8Array([accountHandle, ...account]);
  const credential = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { id: location.hostname, name: "Makechain" },
        user: { id: handle, name, displayName: name },
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        pubKeyCredParams: [{ type: "public-key", alg: es256 }],
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
        timeout: timeoutMilliseconds,
        extensions: { prf: {} },
      },
    }),
  );
  const response = credential.response as AuthenticatorAttestationResponse;
  const spki = response.getPublicKey();
  if (response.getPublicKeyAlgorithm() !== es256 || spki === null) throw new PasskeyError("The passkey is not of type ES256, which the chain needs.");
  // SubjectPublicKeyInfo of P-256 ends with 04, x and y.
  const point = new Uint8Array(spki).slice(-pointLength - 1);
  if (point.length !== pointLength + 1 || point[0] !== 4) throw new PasskeyError("The browser returned a public key in an unknown form.");
  return { id: new Uint8Array(credential.rawId), publicKey: point.slice(1) };
}

/** assertPasskey asks for a signature: of a passkey, or of the one that the user selects. */
export async function assertPasskey(options: {
  readonly challenge?: Uint8Array;
  readonly id?: Uint8Array<ArrayBuffer> | undefined;
  /** The input of the PRF extension. It is never asked for together with a signature for the chain, which refuses extension data. */
  readonly prf?: Uint8Array<ArrayBuffer>;
}): Promise<Assertion> {
  const credential = await ask(() =>
    navigator.credentials.get({
      publicKey: {
        rpId: location.hostname,
        challenge: new Uint8Array(options.challenge ?? crypto.getRandomValues(new Uint8Array(32))),
        userVerification: "required",
        timeout: timeoutMilliseconds,
        ...(options.id === undefined ? {} : { allowCredentials: [{ type: "public-key" as const, id: options.id }] }),
        ...(options.prf === undefined ? {} : { extensions: { prf: { eval: { first: options.prf } } } }),
      },
    }),
  );
  const response = credential.response as AuthenticatorAssertionResponse;
  const first = credential.getClientExtensionResults().prf?.results?.first;
  return {
    credentialId: new Uint8Array(credential.rawId),
    authenticatorData: new Uint8Array(response.authenticatorData),
    clientDataJSON: new Uint8Array(response.clientDataJSON),
    signature: new Uint8Array(response.signature),
    userHandle: new Uint8Array(response.userHandle ?? []),
    prf: first === undefined ? undefined : copy(first),
  };
}

function copy(source: BufferSource): Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice() : new Uint8Array(source).slice();
}

/** accountOf returns the account that a user handle names, or undefined. It is a hint: the chain decides. */
export function accountOf(userHandle: Uint8Array): Uint8Array | undefined {
  return userHandle.length === 1 + addressLength && userHandle[0] === accountHandle ? userHandle.slice(1) : undefined;
}

async function ask(call: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let credential: Credential | null;
  try {
    credential = await call();
  } catch (error) {
    throw describe(error);
  }
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyError("The browser returned no passkey.");
  return credential;
}

/** describe explains the errors of the browser, whose texts are for developers. */
function describe(error: unknown): Error {
  const name = error instanceof Error ? error.name : "";
  switch (name) {
    case "NotAllowedError":
      return new PasskeyError("The passkey was not used: the request was cancelled, timed out, or no passkey fits. Try again.");
    case "SecurityError":
      return new PasskeyError(`The browser does not allow passkeys for ${location.hostname}. Open the page at localhost or with https and a host name.`);
    case "InvalidStateError":
      return new PasskeyError("This device has a passkey of this account already. Use another device.");
    case "NotSupportedError":
    case "ConstraintError":
      return new PasskeyError("This device cannot create such a passkey: it needs user verification (PIN, fingerprint or face) and ES256.");
    default:
      return error instanceof Error ? error : new PasskeyError(String(error));
  }
}
