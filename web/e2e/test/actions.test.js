// Passkeys, the session and signed actions, in Chromium with a virtual authenticator and a real node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startNode } from "../src/node.js";
import { agree, closed, createAccount, expected, newTab, sign, signedIn, signedOut, signIn } from "../src/person.js";
import { User } from "../src/user.js";

test("keys of an account", { timeout: 600_000 }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const tab = await newTab(t, node.url);

  await t.test("a passkey creates an account, and no secret is stored", async () => {
    await createAccount(tab, "alice");
    assert.equal((await tab.devtools.send("WebAuthn.getCredentials", { authenticatorId: tab.authenticatorId })).credentials.length, 1);
    await nothingStored(tab);
    await tab.open("/settings");
    assert.equal(await countOf(tab, "delegated-key"), 1);
    tab.sane(expected);
  });

  await t.test("the session ends with the page, and the passkey derives the same key again", async () => {
    const before = await keys(tab);
    await tab.reload();
    await signedOut(tab);
    await signIn(tab, "alice");
    await tab.open("/settings");
    assert.deepEqual(await keys(tab), before);
    await nothingStored(tab);
    tab.sane(expected);
  });

  await t.test("cancelling signs nothing", async () => {
    await tab.fill("Display name", "Alice");
    await tab.click('[data-testid="action-save-profile"]');
    await tab.sees("ACCOUNT_DATA_DISPLAY_NAME");
    await tab.click('[data-testid="review-cancel"]');
    await closed(tab);
    await tab.settled();
    assert.equal(await tab.page.$eval('input[autocomplete="name"]', (input) => input.value), "");
  });

  await t.test("the profile is changed", async () => {
    await tab.fill("Display name", "Alice");
    await tab.fill("Website", "https://alice.example");
    await sign(tab, "save-profile");
    await tab.settled();
    assert.equal(await tab.page.$eval('input[autocomplete="name"]', (input) => input.value), "Alice");
  });

  await t.test("a second passkey is added, and manages the account without the first", async () => {
    const [first] = await credentials(tab);
    await sign(tab, "add-custody-key");
    await tab.wait("it is listed", () => document.querySelectorAll('[data-testid="custody-key"]').length === 1);
    await tab.devtools.send("WebAuthn.removeCredential", { authenticatorId: tab.authenticatorId, credentialId: first.credentialId });
    await tab.click('[data-testid="action-sign-out"]');
    await tab.open("/signin");
    await tab.click('[data-testid="action-sign-in"]');
    await tab.sees("SIGNER_ADD");
    await agree(tab);
    await signedIn(tab, "alice");
    await tab.open("/settings");
    assert.equal(await countOf(tab, "delegated-key"), 2);
    tab.sane(expected);
  });

  await t.test("a key is revoked, after a warning whose default is to cancel", async () => {
    const own = await tab.page.$$eval('[data-testid="delegated-key"]', (rows) => rows.findIndex((row) => row.innerText.includes("this session")));
    await tab.click(`[data-testid="delegated-key"]:nth-child(${own === 0 ? 2 : 1}) [data-testid="action-revoke-key"]`);
    await tab.wait("the button that cancels has the focus", () => document.activeElement.dataset.testid === "review-cancel");
    await agree(tab);
    await tab.wait("one key is left", () => document.querySelectorAll('[data-testid="delegated-key"]').length === 1);
  });

  await t.test("a P-256 key is added and revoked for good", async () => {
    await (await tab.page.waitForSelector('::-p-aria([name="Key"][role="combobox"])')).select("p256");
    await tab.fill("Public key", generator);
    await sign(tab, "add-custody-key");
    await tab.wait("it is listed", () => document.querySelectorAll('[data-testid="custody-key"]').length === 2);
    const row = await tab.page.$$eval('[data-testid="custody-key"]', (rows) => rows.findIndex((row) => row.innerText.includes("p256") && !row.innerText.includes("webauthn")));
    await tab.click(`[data-testid="custody-key"]:nth-child(${row + 2}) [data-testid="action-revoke-custody-key"]`);
    await agree(tab);
    await tab.wait("it is revoked", () => [...document.querySelectorAll('[data-testid="custody-key"]')].some((row) => row.innerText.includes("revoked")));
    tab.sane(expected);
  });

  await t.test("a username that is taken is refused before a passkey is made", async () => {
    const other = await newTab(t, node.url);
    await other.open("/signin");
    await other.fill("Username", "alice");
    await other.click('[data-testid="action-create-account"]');
    await other.sees("Another account has the username alice.");
    await other.sees("Choose another.");
    assert.equal((await credentials(other)).length, 0);
  });

  await t.test("passkeys need a host name", async () => {
    const other = await newTab(t, node.url.replace("localhost", "127.0.0.1"));
    await other.open("/signin");
    await other.sees("Passkeys need a host name");
    assert.equal(await other.page.$eval('main [role="alert"] a', (link) => link.href), `${node.url}/#/signin`);
  });
});

test("a passkey without the PRF extension", { timeout: 600_000 }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const tab = await newTab(t, node.url, { prf: false });
  await tab.open("/signin");
  await tab.fill("Username", "carol");
  await tab.click('[data-testid="action-create-account"]');
  await tab.sees("does not support the PRF extension");
  await agree(tab);
  await signedIn(tab, "carol");
  await nothingStored(tab);
  await tab.click('[data-testid="action-sign-out"]');
  await tab.sees("Revoke the key of this session");
  await agree(tab);
  await signedOut(tab);
  await tab.open("/signin");
  await tab.click('[data-testid="action-sign-in"]');
  await tab.sees("SIGNER_ADD"); // of another key
  await agree(tab);
  await signedIn(tab, "carol");
  await tab.open("/settings");
  assert.equal(await countOf(tab, "delegated-key"), 1);
  tab.sane(expected);
});

test("a project and its people", { timeout: 600_000 }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const [tab, bob] = [await newTab(t, node.url), new User(node, "bob")];
  await bob.account();
  await createAccount(tab, "alice");
  await tab.open("/new");
  await tab.fill("Name", "hello");
  await sign(tab, "create-project");

  await t.test("a collaborator pushes", async () => {
    await tab.open("/project/alice/hello/settings");
    await tab.fill("Account", "bob");
    await sign(tab, "add-collaborator");
    await tab.wait("bob is listed", () => document.querySelectorAll('[data-testid="collaborator"]').length === 1);
    await bob.init("hello");
    await bob.commit("hello", "Say hello", { README: "Hello\n" });
    await bob.git("hello", "push", "--quiet", "makechain://alice/hello", "main", "main:refs/heads/old");
  });

  await t.test("the description, a branch and the collaborator are changed", async () => {
    await tab.reload();
    await signIn(tab, "alice", "/project/alice/hello/settings");
    await tab.fill("Description", "A greeting");
    await sign(tab, "save-project");
    await tab.settled();
    await tab.click('[aria-label="Remove refs/heads/old"]');
    await agree(tab);
    await tab.wait("the branch is gone", () => document.querySelectorAll('[data-testid="action-remove-branch"]').length === 1);
    await tab.click('[data-testid="action-remove-collaborator"]');
    await agree(tab);
    await tab.wait("nobody is listed", () => document.querySelectorAll('[data-testid="collaborator"]').length === 0);
    assert.match(await bob.makechain("project", "show", "alice/hello"), /A greeting/);
    assert.doesNotMatch(await bob.makechain("ref", "list", "alice/hello"), /old/);
    tab.sane(expected);
  });

  await t.test("a merge request is declined, and listed with its outcome", async () => {
    await bob.makechain("project", "fork", "alice/hello");
    await bob.git("hello", "switch", "--quiet", "--create", "change");
    await bob.commit("hello", "Change it", { README: "Hello, world\n" });
    await bob.git("hello", "push", "--quiet", "makechain://bob/hello", "change");
    await bob.makechain("mr", "open", "alice/hello@main", "--from", "bob/hello@change", "--title", "Change it");
    await tab.open("/project/alice/hello/requests");
    await tab.click('[data-testid="request"] a[href*="/request/"]');
    await tab.wait("it can be merged", () => document.querySelector('[data-testid="merge-state"]')?.dataset.state === "fast-forward");
    await tab.click('[data-testid="action-decline"]');
    await agree(tab);
    await tab.sees("declined");
    await tab.open("/project/alice/hello/requests?state=closed");
    await tab.wait("it is listed with its outcome", () => document.querySelector('[data-testid="request"] [data-outcome="declined"]') !== null);
  });

  await t.test("the project is archived, after its name was typed", async () => {
    await tab.open("/project/alice/hello/settings");
    await tab.fill("Type hello to confirm", "hello");
    await tab.click('[data-testid="action-archive"]');
    await agree(tab);
    await tab.sees("The project is archived, which cannot be undone.");
    tab.sane(expected);
  });
});

/** generator is a point of P-256, x and y. */
const generator = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";

const credentials = async (tab) => (await tab.devtools.send("WebAuthn.getCredentials", { authenticatorId: tab.authenticatorId })).credentials;
const countOf = async (tab, id) => (await tab.page.$$(`[data-testid="${id}"]`)).length;
const keys = async (tab) => await tab.page.$$eval('[data-testid="delegated-key"] code', (codes) => codes.map((code) => code.title));

/** nothingStored fails if the page stores anything but what it has seen of the chain, which is public. */
async function nothingStored(tab) {
  const stored = await tab.page.evaluate(async () => ({
    local: Object.entries(localStorage),
    session: Object.entries(sessionStorage),
    cookies: document.cookie,
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
  }));
  const { local, ...others } = stored;
  assert.deepEqual(others, { session: [], cookies: "", databases: [], caches: [] });
  for (const [name, text] of local) {
    assert.match(name, /^makechain:(trust|highest):|^theme$/, text);
    if (name.startsWith("makechain:trust:")) assert.deepEqual(Object.keys(JSON.parse(text)).sort(), ["block_number", "chain_id", "validators_hash"]);
    if (name.startsWith("makechain:highest:")) assert.match(text, /^[0-9]+$/);
  }
}
