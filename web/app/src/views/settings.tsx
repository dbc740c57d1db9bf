import { AccountDataType, CustodyKeyStatus, CustodySignatureType, type EntryOf, KeyScope, Network, type Proven, rows } from "makechain";
import { useState } from "preact/hooks";
import { Form, SelectField, TextField } from "../actions/form.js";
import { editProfile, type Profile } from "../actions/operations.js";
import { lengthFault, limits, parseHex, usernameFault } from "../actions/rules.js";
import type { ViewProps } from "../app.js";
import { Ago, Badge, Empty, ErrorMessage, Hash, More, ProjectLink, Skeleton, Table } from "../components/index.js";
import { useShared } from "../context.js";
import { address, hex, words } from "../format.js";
import { Heading } from "../heading.js";
import { usePages, useProven } from "../load.js";
import { AddCustodyKey } from "../session/custody-keys.js";
import { revoke, signerAdd, signerRemove } from "../session/custody.js";
import { hasStorage, storageItems } from "../session/enter.js";
import { useSignOut } from "../session/menu.js";
import { type Session, useSession } from "../session/session.js";

/** Settings are the profile and the keys of the account that is signed in. */
export default function Settings(_: ViewProps) {
  const { session } = useSession();
  const leave = useSignOut();
  return (
    <div class="stack">
      <Heading title="Settings" />
      {session === undefined ? (
        <Empty title="Nobody is signed in.">
          <a href="#/signin?next=%23%2Fsettings">Sign in with a passkey</a>
        </Empty>
      ) : (
        <>
          {session.name === "" && <Username session={session} />}
          <EditProfile session={session} />
          <DelegatedKeys session={session} />
          <CustodyKeys session={session} />
          <section class="panel">
            <div class="panel-head">
              <h2>Session</h2>
            </div>
            <div class="panel-body stack">
              <p>The key of this session is in memory only. It is deleted when you sign out, close the tab, or do nothing for 30 minutes.</p>
              <div class="buttons">
                <button type="button" onClick={() => void leave()}>
                  Sign out
                </button>
              </div>
            </div>
          </section>
        </>
      )}
    </div>
  );
}

interface Props {
  readonly session: Session;
}

/** Username takes a name for an account that has none. */
function Username({ session }: Props) {
  const { client } = useShared();
  const { perform, signIn } = useSession();
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const submit = async () => {
    const row = await client.row(rows.account, session.account);
    if (!hasStorage(row.value) && session.network !== Network.DEVNET) return setError("The account has no storage yet. Claim it first.");
    setError("");
    const items = storageItems(client, session, hasStorage(row.value), name);
    if (await perform({ title: `Take the username ${name}`, verb: "Take", items })) signIn({ ...session, name });
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Username</h2>
      </div>
      <div class="panel-body">
        <Form label="Take the username" verb="take-username" fault={usernameFault(name)} submit={submit}>
          <TextField label="Username" error={usernameFault(name)} value={name} change={setName} input={{ autocomplete: "username", spellcheck: false, autoCapitalize: "none", maxLength: 32 }} />
        </Form>
        {error !== "" && <p role="alert">{error}</p>}
      </div>
    </section>
  );
}

function EditProfile({ session }: Props) {
  const { client } = useShared();
  const { changes } = useSession();
  const loaded = useProven(`profile/${hex(session.account)}/${changes}`, () => firstPage(client.rows(rows.accountMetadata, session.account)));
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Profile</h2>
        <Badge of={loaded} />
      </div>
      <div class="panel-body">
        {loaded.status === "proven" ? (
          <ProfileForm key={changes} before={profileOf(loaded.value)} />
        ) : loaded.status === "invalid" || loaded.status === "failed" ? (
          <ErrorMessage error={loaded.error} />
        ) : (
          <Skeleton lines={8} />
        )}
      </div>
    </section>
  );
}

/** firstPage returns the first page of a list that has only one. */
async function firstPage<T>(pages: AsyncIterable<Proven<T>>): Promise<Proven<T>> {
  for await (const page of pages) return page;
  throw new Error("the node returned no page");
}

function profileOf(entries: readonly EntryOf<typeof rows.accountMetadata>[]): Profile {
  const field = (type: AccountDataType) => entries.find((entry) => entry.field === type)?.value.value ?? "";
  return {
    displayName: field(AccountDataType.ACCOUNT_DATA_DISPLAY_NAME),
    bio: field(AccountDataType.ACCOUNT_DATA_BIO),
    website: field(AccountDataType.ACCOUNT_DATA_WEBSITE),
    avatar: field(AccountDataType.ACCOUNT_DATA_AVATAR),
  };
}

function ProfileForm({ before }: { readonly before: Profile }) {
  const { perform } = useSession();
  const [profile, setProfile] = useState(before);
  const set = (field: keyof Profile) => (value: string) => setProfile((current) => ({ ...current, [field]: value }));
  const faults = {
    displayName: lengthFault(profile.displayName, limits.displayName),
    bio: lengthFault(profile.bio, limits.profile),
    website: lengthFault(profile.website, limits.profile),
    avatar: lengthFault(profile.avatar, limits.profile),
  };
  const operation = editProfile(before, profile);
  const fault = Object.values(faults).find((each) => each !== "") ?? (operation.items.length === 0 ? "Nothing has changed." : "");
  return (
    <Form label="Save the profile" verb="save-profile" fault={fault} submit={() => perform(operation)}>
      <TextField label="Display name" error={faults.displayName} value={profile.displayName} change={set("displayName")} input={{ autocomplete: "name" }} />
      <TextField label="Bio" error={faults.bio} value={profile.bio} change={set("bio")} multiline />
      <TextField label="Website" error={faults.website} value={profile.website} change={set("website")} input={{ autocomplete: "url" }} />
      <TextField label="Avatar" hint="The URL of an image. This page does not load it." error={faults.avatar} value={profile.avatar} change={set("avatar")} />
    </Form>
  );
}

function DelegatedKeys({ session }: Props) {
  const { client } = useShared();
  const { changes, perform, signOut } = useSession();
  const pages = usePages(`keys/${hex(session.account)}/${changes}`, () => client.rows(rows.key, session.account));
  const isOwn = (key: Uint8Array) => hex(key) === hex(session.signer.publicKey);
  const remove = async (key: Uint8Array) => {
    const change = await signerRemove(client, session, key);
    const note = isOwn(key) ? "This is the key of this session: you are signed out afterwards." : "What the key signed before stays. Nothing that it signs from now on is accepted.";
    const committed = await perform({ title: "Revoke a key", verb: "Revoke", destructive: true, note, items: [{ kind: "custody", words: `Revoke the key ${hex(key)}`, change }] });
    if (committed && isOwn(key)) signOut();
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Delegated keys</h2>
        <Badge of={pages.loaded} />
      </div>
      <div class="panel-body stack">
        <p>They sign pushes, projects, stars and merge requests. Each machine has its own.</p>
        <Table columns={["Key", "Scope", "Projects", "Added", ""]}>
          {pages.items.map(({ publicKey, value }) => (
            <tr key={hex(publicKey)} data-testid="delegated-key">
              <th scope="row">
                <Hash of={publicKey} /> {isOwn(publicKey) && <span class="muted">this session</span>}
              </th>
              <td>{words(KeyScope[value.scope] ?? String(value.scope))}</td>
              <td>{value.allowedProjects.length === 0 ? "all" : value.allowedProjects.map((id) => <ProjectLink key={hex(id)} id={id} />)}</td>
              <td>
                <Ago time={value.addedAt} />
              </td>
              <td>
                <button type="button" class="danger" data-testid="action-revoke-key" aria-label={`Revoke the key ${hex(publicKey).slice(0, 8)}`} onClick={() => void remove(publicKey)}>
                  Revoke
                </button>
              </td>
            </tr>
          ))}
        </Table>
        <More of={pages} />
        <AddKey session={session} />
      </div>
    </section>
  );
}

const scopes = [
  ["AGENT", "Agent: pushes only, for CI"],
  ["SIGNING", "Signing: everything but keys"],
  ["OWNER", "Owner"],
] as const;

/** AddKey registers the public key of another machine. */
function AddKey({ session }: Props) {
  const { client } = useShared();
  const { perform } = useSession();
  const [text, setText] = useState("");
  const [scope, setScope] = useState<(typeof scopes)[number][0]>("SIGNING");
  const [projects, setProjects] = useState("");
  const [error, setError] = useState<Error>();
  const key = parseHex(text.trim());
  const fault = key.length === 32 ? "" : "A public key has 64 hex digits.";
  const submit = async () => {
    setError(undefined);
    try {
      const names = scope === "AGENT" ? projects.split(/[\s,]+/).filter((name) => name !== "") : [];
      const allowedProjects = await Promise.all(names.map(async (name) => (await client.resolveProject(name)).value));
      const change = await signerAdd(client, session, { key, scope: KeyScope[scope], allowedProjects });
      const limit = names.length === 0 ? "" : `, for ${names.join(", ")} only`;
      const item = { kind: "custody", words: `Register the key ${text.trim()} with scope ${scope}${limit}`, change } as const;
      if (await perform({ title: "Add a key", verb: "Add", items: [item] })) setText("");
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  };
  return (
    <details>
      <summary>Add a key</summary>
      <Form label="Add the key" verb="add-key" fault={fault} submit={submit}>
        <TextField label="Public key" hint="64 hex digits of an Ed25519 key, made on the machine that will use it." error={fault} value={text} change={setText} input={{ spellcheck: false, autocomplete: "off" }} />
        <SelectField label="Scope" value={scope} change={setScope} options={scopes} />
        {scope === "AGENT" && <TextField label="Projects" hint="Names such as alice/hello, separated by spaces. Empty means all." value={projects} change={setProjects} />}
      </Form>
      {error !== undefined && <ErrorMessage error={error} />}
    </details>
  );
}

function CustodyKeys({ session }: Props) {
  const { client } = useShared();
  const { changes, perform } = useSession();
  const pages = usePages(`custody/${hex(session.account)}/${changes}`, () => client.rows(rows.custodyKey, session.account));
  const remove = async (keyId: Uint8Array) => {
    const change = await revoke(client, session, keyId);
    const item = { kind: "custody", words: `Revoke the custody key ${address(keyId)}`, change } as const;
    await perform({ title: "Revoke a custody key", verb: "Revoke", destructive: true, note: "A revoked custody key can never be authorized again.", items: [item] });
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Custody keys</h2>
        <Badge of={pages.loaded} />
      </div>
      <div class="panel-body stack">
        <p>They add and revoke keys. The root, whose id is the address of the account, always can.</p>
        <Table columns={["Key", "Type", "Rights", "Added", ""]}>
          <tr>
            <th scope="row">
              <Hash of={address(session.account)} />
            </th>
            <td>root</td>
            <td>admin</td>
            <td />
            <td />
          </tr>
          {pages.items.map(({ keyId, value }) => (
            <tr key={hex(keyId)} data-testid="custody-key">
              <th scope="row">
                <Hash of={address(keyId)} />
              </th>
              <td>{words(CustodySignatureType[value.signatureType] ?? "")}</td>
              <td>{value.status === CustodyKeyStatus.REVOKED ? "revoked" : value.admin ? "admin" : "none"}</td>
              <td>
                <Ago time={value.addedAt} />
              </td>
              <td>
                {value.status === CustodyKeyStatus.ACTIVE && (
                  <button type="button" class="danger" data-testid="action-revoke-custody-key" aria-label={`Revoke the custody key ${address(keyId).slice(0, 10)}`} onClick={() => void remove(keyId)}>
                    Revoke
                  </button>
                )}
              </td>
            </tr>
          ))}
        </Table>
        <More of={pages} />
        <h3>Add a custody key</h3>
        <AddCustodyKey />
      </div>
    </section>
  );
}
