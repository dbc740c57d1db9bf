// An account: its profile and tabs with what belongs to it.
import { AccountDataType, type AccountRow, bytesEqual, rows } from "makechain";
import type { ComponentType } from "preact";
import { FollowButton } from "../actions/buttons.js";
import type { ViewProps } from "../app.js";
import { Badge, CopyButton, Empty, ErrorMessage, Skeleton, Tabs } from "../components/index.js";
import { Guard } from "../components/guard.js";
import { useShared } from "../context.js";
import { address as addressText, shorten, visible } from "../format.js";
import { Heading } from "../heading.js";
import { useProven } from "../load.js";
import { href } from "../route.js";
import { useSession } from "../session/session.js";
import AccountActivity from "./account-activity.js";
import AccountKeys from "./account-keys.js";
import { Followers, Following, Stars } from "./account-links.js";
import AccountProjects from "./account-projects.js";
import AccountStorage from "./account-storage.js";
import AccountVerifications from "./account-verifications.js";

/** AccountViewProps are the properties of the views inside of an account. */
export interface AccountViewProps {
  readonly address: Uint8Array;
  /** The username, empty without one. */
  readonly name: string;
  readonly row: AccountRow | undefined;
}

const tabs = [
  ["Projects", "", AccountProjects],
  ["Activity", "activity", AccountActivity],
  ["Keys", "keys", AccountKeys],
  ["Storage", "storage", AccountStorage],
  ["Stars", "stars", Stars],
  ["Following", "following", Following],
  ["Followers", "followers", Followers],
  ["Verifications", "verifications", AccountVerifications],
] as const satisfies readonly (readonly [string, string, ComponentType<AccountViewProps>])[];

export default function Account({ route }: ViewProps) {
  const { client } = useShared();
  const name = route.path[0] ?? "";
  const tab = route.path[1] ?? "";
  const { changes } = useSession();
  const account = useProven(`account ${name}`, async () => {
    const { value: address } = await client.resolveAccount(name);
    const { value: row, evidence } = await client.row(rows.account, address);
    return { value: { address, row }, evidence };
  }, changes);
  if (account.status !== "proven") {
    return (
      <div class="stack">
        <div class="title-row">
          <Heading title={name}>{visible(name.startsWith("0x") ? shorten(name) : name)}</Heading>
          <Badge of={account} />
        </div>
        {account.status === "invalid" || account.status === "failed" ? <Missing name={name} error={account.error} /> : <Skeleton lines={12} />}
      </div>
    );
  }
  const { address, row } = account.value;
  const found = tabs.find(([, segment]) => segment === tab);
  const View = found?.[2];
  const username = row?.username ?? "";
  return (
    <div class="stack">
      <Profile address={address} name={username}>
        <Badge of={account} />
      </Profile>
      <Tabs
        label="Account"
        tabs={tabs.map(([label, segment]) => ({
          label,
          href: href(["account", name, ...(segment === "" ? [] : [segment])]),
          current: segment === tab,
          count: segment === "" ? row?.projectCount : segment === "keys" ? row && row.keyCount + row.custodyKeyCount : undefined,
        }))}
      />
      {View === undefined ? (
        <Empty title="An account has no such view." />
      ) : (
        <Guard key={tab}>
          <View address={address} name={username} row={row} />
        </Guard>
      )}
    </div>
  );
}

function Profile({ address, name, children }: { readonly address: Uint8Array; readonly name: string; readonly children: preact.ComponentChildren }) {
  const { client } = useShared();
  const { session, changes } = useSession();
  const text = addressText(address);
  const profile = useProven(`profile ${text}`, async () => {
    for await (const page of client.rows(rows.accountMetadata, address)) return { value: new Map(page.value.map((entry) => [entry.field as AccountDataType, entry.value.value])), evidence: page.evidence };
    throw new Error("the node returned no page");
  }, changes);
  const field = (type: AccountDataType) => (profile.status === "proven" ? visible(profile.value.get(type) ?? "") : "");
  const website = field(AccountDataType.ACCOUNT_DATA_WEBSITE);
  const displayed = field(AccountDataType.ACCOUNT_DATA_DISPLAY_NAME);
  const bio = field(AccountDataType.ACCOUNT_DATA_BIO);
  return (
    <div class="profile">
      <div class="title-row">
        <Heading title={name === "" ? shorten(text) : name} />
        {displayed !== "" && <span class="display-name">{displayed}</span>}
        {children}
        {session !== undefined && bytesEqual(session.account, address) ? (
          <a class="button" href="#/settings">
            Settings
          </a>
        ) : (
          <FollowButton account={{ id: address, name: name === "" ? shorten(text) : name }} />
        )}
      </div>
      <p class="address">
        <code>{text}</code> <CopyButton text={text} label="Copy the address" />
      </p>
      {(profile.status === "invalid" || profile.status === "failed") && <ErrorMessage error={profile.error} />}
      <p class="profile-text">
        {bio !== "" && <span class="preserve">{bio}</span>}{" "}
        {website !== "" &&
          (/^https?:\/\//i.test(website) ? (
            <a href={website} rel="noopener noreferrer nofollow" class="wrap">
              {website}
            </a>
          ) : (
            <span class="wrap">{website}</span>
          ))}{" "}
        {(bio !== "" || website !== "" || displayed !== "") && <Badge of={profile} small />}
      </p>
    </div>
  );
}

function Missing({ name, error }: { readonly name: string; readonly error: Error }) {
  if (error.name !== "NotFoundError") return <ErrorMessage error={error} />;
  return (
    <Empty title={`There is no account ${visible(name)}, which is proven.`} command={`makechain account create ${/^[a-z0-9-]+$/.test(name) ? name : "alice"}`}>
      <p>
        <a href={href(["search"], { q: name })}>Search for it</a>, or create it:
      </p>
    </Empty>
  );
}
