import { Network } from "makechain";
import { useState } from "preact/hooks";
import { Form, TextField } from "../actions/form.js";
import { usernameFault } from "../actions/rules.js";
import type { ViewProps } from "../app.js";
import { Command, ErrorMessage } from "../components/index.js";
import { useShared } from "../context.js";
import { address } from "../format.js";
import { Heading } from "../heading.js";
import { href, type Route } from "../route.js";
import { create, type Entry, missing, refresh, requireFree, signIn } from "../session/enter.js";
import { hostIsAddress, obstacle } from "../session/passkey.js";
import { useSession } from "../session/session.js";
import { AddCustodyKey } from "../session/custody-keys.js";

/** SignIn signs in with a passkey, or creates an account whose root is a new one. */
export default function SignIn({ route }: ViewProps) {
  const { session } = useSession();
  const [created, setCreated] = useState(false);
  const blocked = obstacle();
  return (
    <div class="narrow">
      <Heading title={session === undefined ? "Sign in" : "Signed in"} />
      {blocked !== undefined ? (
        <Blocked reason={blocked} />
      ) : session === undefined ? (
        <Enter route={route} done={(isNew) => (isNew ? setCreated(true) : leave(route))} />
      ) : (
        <Inside route={route} created={created} />
      )}
    </div>
  );
}

/** leave goes where the user wanted to act, or to the start. */
function leave(route: Route) {
  location.hash = nextOf(route);
}

function nextOf(route: Route): string {
  const next = route.query.get("next") ?? "";
  return next.startsWith("#/") ? next : "#/";
}

function Blocked({ reason }: { readonly reason: string }) {
  const local = `${location.protocol}//localhost${location.port === "" ? "" : `:${location.port}`}/${location.hash}`;
  return (
    <div class="error" role="alert">
      <p>{reason}</p>
      {hostIsAddress(location.hostname) && (
        <p>
          If the node is on this machine, open <a href={local}>{local}</a>.
        </p>
      )}
    </div>
  );
}

interface EnterProps {
  readonly route: Route;
  readonly done: (isNew: boolean) => void;
}

function Enter({ done }: EnterProps) {
  const { client } = useShared();
  const { perform, signIn: start } = useSession();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [unfinished, setUnfinished] = useState<Entry>();

  /** run shows errors of the passkey or the node instead of the forms' results. */
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  const finish = async (entry: Entry, username: string, isNew: boolean) => {
    const items = await missing(client, entry, username);
    const title = isNew ? "Create the account" : "Register a key";
    const note = entry.session.derived
      ? undefined
      : "Your passkey does not support the PRF extension, from which the key could be derived. A random key is used for this session only; sign out to revoke it.";
    const committed = items.length === 0 || (await perform({ title, verb: isNew ? "Create" : "Register", session: entry.session, items, ...(note === undefined ? {} : { note }) }));
    if (!committed) {
      if (isNew) setUnfinished(await refresh(client, entry.session));
      else entry.session.wipe();
      return;
    }
    start({ ...entry.session, name: entry.session.name === "" && items.length > 1 ? username : entry.session.name });
    done(isNew);
  };
  const enter = () =>
    run(async () => {
      const entry = await signIn(client);
      if (!entry.registered && entry.session.name === "") setUnfinished(entry);
      else await finish(entry, "", false);
    });
  const register = () =>
    run(async () => {
      await requireFree(client, name);
      await finish(unfinished ?? (await create(client, name)), name, true);
    });

  return (
    <>
      {error !== undefined && <ErrorMessage error={error} />}
      {unfinished === undefined ? (
        <section aria-labelledby="enter">
          <h2 id="enter">With a passkey</h2>
          <p>Your device shows its passkeys for this page. Nothing is stored in the browser: the session ends when you close the tab.</p>
          <div class="buttons">
            <button type="button" class="primary" data-testid="action-sign-in" disabled={busy} onClick={() => void enter()}>
              Sign in with a passkey
            </button>
          </div>
        </section>
      ) : (
        <p role="status">
          The account of this passkey is not complete: {address(unfinished.session.account)}. Choose a username to complete it.
        </p>
      )}
      <section aria-labelledby="create">
        <h2 id="create">Create an account</h2>
        <p>
          A new passkey becomes the root of the account. Then your device asks for it three more times: to derive the key of this page, and twice to register that key.
        </p>
        <Form label={unfinished === undefined ? "Create a passkey and an account" : "Create the account"} verb="create-account" fault={usernameFault(name)} submit={register}>
          <TextField
            label="Username"
            hint="3 to 32 lower-case letters, digits and hyphens. It is public."
            error={usernameFault(name)}
            value={name}
            change={setName}
            input={{ autocomplete: "username", spellcheck: false, autoCapitalize: "none", maxLength: 32 }}
          />
        </Form>
      </section>
    </>
  );
}

function Inside({ route, created }: { readonly route: Route; readonly created: boolean }) {
  const { session } = useSession();
  if (session === undefined) return null;
  const next = nextOf(route);
  return (
    <>
      <p role="status" data-testid="signed-in">
        You are signed in as <a href={href(["account", address(session.account)])}>{session.name === "" ? address(session.account) : session.name}</a>.
      </p>
      {session.name === "" && session.network !== Network.DEVNET && <ClaimStorage account={session.account} />}
      {created && (
        <section aria-labelledby="second">
          <h2 id="second">Add a second custody key</h2>
          <p>
            A passkey is bound to <strong>{location.hostname}</strong> and to your device or its cloud account. If you lose it, or this address ends, nobody can change the keys of the account again. Add another key now.
          </p>
          <AddCustodyKey />
        </section>
      )}
      <p>
        <a href={next}>{next === "#/" ? "Go to the start" : "Continue"}</a> · <a href="#/settings">Keys and profile</a> · <a href="#/new">New project</a>
      </p>
    </>
  );
}

/** ClaimStorage says how an account gets storage on a chain without a faucet. */
function ClaimStorage({ account }: { readonly account: Uint8Array }) {
  return (
    <section aria-labelledby="claim">
      <h2 id="claim">Storage</h2>
      <p>
        The account needs storage before it can take a username or create anything. Pay for it with the settlement contract of this network, for the address below. The operator of an attester returns a signed claim, which anybody can submit:
      </p>
      <Command text={address(account)} />
      <Command text="makechain message submit claim.json" />
      <p>Then come back and take a username in <a href="#/settings">your settings</a>.</p>
    </section>
  );
}
