// Signing in with nothing stored: a passkey shows which account it has, and derives the delegated key.
import { bytesEqual, type Client, CustodyKeyStatus, ed25519Signer, KeyScope, Network, passkeyKeyId, recoverPublicKeys, rows } from "makechain";
import type { Item } from "../actions/operation.js";
import { signerAdd } from "./custody.js";
import { deriveSeed, prfInput, randomSeed } from "./delegated.js";
import { accountOf, type Assertion, assertPasskey, createPasskey, type Passkey, PasskeyError } from "./passkey.js";
import type { Session } from "./session.js";

/** faucetUnits is how much storage a new account asks the faucet of a development chain for. */
const faucetUnits = 1;

/** Entry is a session that may miss something on the chain: the registration of its key, storage, or a username. */
export interface Entry {
  readonly session: Session;
  /** The delegated key is registered. */
  readonly registered: boolean;
  /** The account has active storage. */
  readonly hasStorage: boolean;
}

/** TakenError means that an account with storage has a username. */
export class TakenError extends Error {
  readonly code = "username_taken";

  constructor(name: string) {
    super(`Another account has the username ${name}.`);
    this.name = "TakenError";
  }
}

/** requireFree throws a TakenError if a username is taken, so that no passkey is created in vain. The name of an account without storage is free. */
export async function requireFree(client: Client, name: string): Promise<void> {
  const { value } = await client.row(rows.username, name);
  if (value !== undefined && hasStorage((await client.row(rows.account, value.ownerAddress)).value)) throw new TakenError(name);
}

/** create makes a passkey for a new account, and the session with it. */
export async function create(client: Client, name: string): Promise<Entry> {
  const passkey = await createPasskey(name);
  const chain = await chainOf(client);
  // A separate assertion: not every authenticator evaluates the PRF when it creates a passkey.
  const assertion = await assertPasskey({ id: passkey.id, prf: await prfInput(chain.chainId) });
  return enter(client, chain, passkey, passkeyKeyId(passkey.publicKey), assertion);
}

/**
 * signIn asks the user for a passkey and returns its session. The public key is not part of an assertion, but one of two candidates that
 * follow from it; the one that has an account is proven by the chain. If neither has one, a second assertion decides.
 */
export async function signIn(client: Client): Promise<Entry> {
  const chain = await chainOf(client);
  const assertion = await assertPasskey({ prf: await prfInput(chain.chainId) });
  const candidates = recoverPublicKeys(assertion);
  for (const publicKey of candidates) {
    const account = await accountOfKey(client, passkeyKeyId(publicKey), accountOf(assertion.userHandle));
    if (account !== undefined) return enter(client, chain, { id: assertion.credentialId, publicKey }, account, assertion);
  }
  const second = recoverPublicKeys(await assertPasskey({ id: assertion.credentialId }));
  const publicKey = candidates.find((each) => second.some((other) => bytesEqual(each, other)));
  if (publicKey === undefined) throw new PasskeyError("The two signatures of the passkey do not have a public key in common. Try again.");
  return enter(client, chain, { id: assertion.credentialId, publicKey }, passkeyKeyId(publicKey), assertion);
}

/** accountOfKey returns the account that a custody key controls: its own, or the one that its passkey names and the chain confirms. */
async function accountOfKey(client: Client, keyId: Uint8Array, named: Uint8Array | undefined): Promise<Uint8Array | undefined> {
  if (named !== undefined) {
    const key = (await client.row(rows.custodyKey, named, keyId)).value;
    if (key?.status === CustodyKeyStatus.ACTIVE && key.admin) return named;
  }
  return (await client.row(rows.account, keyId)).value === undefined ? undefined : keyId;
}

interface Chain {
  readonly chainId: string;
  readonly network: Network;
}

async function chainOf(client: Client): Promise<Chain> {
  const [{ chainId }, { network }] = await Promise.all([client.trusted(), client.calls.getNodeStatus({})]);
  return { chainId, network };
}

async function enter(client: Client, chain: Chain, passkey: Passkey, account: Uint8Array, assertion: Assertion): Promise<Entry> {
  const derived = assertion.prf !== undefined;
  const seed = assertion.prf === undefined ? randomSeed() : await deriveSeed(assertion.prf, chain.chainId);
  const session = { ...chain, account, passkey, derived, signer: ed25519Signer(seed), name: "", wipe: () => seed.fill(0) };
  return refresh(client, session);
}

/** refresh reads what the chain has of a session: after an attempt to complete it that failed or was cancelled, some of it may be there. */
export async function refresh(client: Client, session: Session): Promise<Entry> {
  const [row, owner] = await Promise.all([client.row(rows.account, session.account), client.row(rows.keyOwner, session.signer.publicKey)]);
  if (owner.value !== undefined && !bytesEqual(owner.value.ownerAddress, session.account)) {
    throw new PasskeyError("The key that this passkey derives belongs to another account. Sign in with another passkey.");
  }
  return { session: { ...session, name: row.value?.username ?? "" }, registered: owner.value !== undefined, hasStorage: hasStorage(row.value) };
}

/** hasStorage reports whether an account has storage that has not expired. */
export function hasStorage(row: { readonly storageUnits: number; readonly nextExpiry: number } | undefined): boolean {
  return row !== undefined && row.storageUnits > 0 && row.nextExpiry > Date.now() / 1000;
}

/** missing returns the items that complete an entry: the registration of the key and, for a username, storage and the name. */
export async function missing(client: Client, { session, registered, hasStorage: stored }: Entry, username: string): Promise<Item[]> {
  const items: Item[] = [];
  if (!registered) {
    items.push({
      kind: "custody",
      words: `Register the key of this ${session.derived ? "passkey" : "session"} with scope SIGNING: it signs stars, projects and merge requests, but cannot add keys.`,
      change: await signerAdd(client, session, { key: session.signer.publicKey, scope: KeyScope.SIGNING, allowedProjects: [] }),
    });
  }
  if (username !== "" && session.name === "") items.push(...storageItems(client, session, stored, username));
  return items;
}

/** storageItems returns the items for storage, if there is none and the chain has a faucet, and for a username, which needs storage. */
export function storageItems(client: Client, session: Session, stored: boolean, username: string): Item[] {
  const hasFaucet = session.network === Network.DEVNET;
  if (!stored && !hasFaucet) return [];
  const take: Item = { kind: "message", words: `Take the username ${username}`, body: { case: "usernameCreate", value: { username } } };
  const words = `Get ${faucetUnits} unit of storage from the faucet of this development chain`;
  return stored ? [take] : [{ kind: "step", words, run: () => claim(client, session.account) }, take];
}

async function claim(client: Client, account: Uint8Array): Promise<void> {
  const { hash } = await client.faucet.claim({ ownerAddress: account, units: faucetUnits });
  await client.awaitCommitted(hash);
}
