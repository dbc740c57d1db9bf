// The files of a private project: for its owner and a reader, with a statement for the node of the page only, and for nobody else.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { startNode } from "../src/node.js";
import { addKey, createAccount, expected, newTab, proven, sign, signedOut, signIn } from "../src/person.js";
import { startLiar } from "../src/proxy.js";
import { User } from "../src/user.js";

const secret = "The secret of alice";
const main = encodeURIComponent("refs/heads/main");
const project = "/project/alice/vault";
/** The console shows that the content service does not have what a stranger asks for. */
const refused = /status of 404 .*\/v1\/content\//;

test("files of a private project", { timeout: 600_000 }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const [alice, user] = [await newTab(t, node.url), new User(node, "alice")];
  await createAccount(alice, "alice");
  await addKey(alice, user, node);
  await user.makechain("project", "create", "vault", "--private");
  await user.init("vault");
  await user.commit("vault", "Keep a secret", { "README.md": `# Vault\n\n${secret}\n`, "src/secret.txt": `${secret}\n` });
  await user.git("vault", "push", "--quiet", "makechain://alice/vault", "main");
  const head = (await user.git("vault", "rev-parse", "main")).trim();
  const routes = [["", secret], [`/tree/${main}/src`, "secret.txt"], [`/file/${main}/src/secret.txt`, secret], [`/commits/${main}`, "Keep a secret"], [`/commit/${head}`, secret], [`/history/${main}/src/secret.txt`, "Keep a secret"]];

  const reads = async (tab) => {
    for (const [part, text] of routes) {
      await tab.open(project + part);
      await tab.sees(text);
      await proven(tab, "p.small");
    }
    await tab.open(`${project}/content`);
    await tab.wait("the node has the content", () => /^has /.test(document.querySelector('[data-testid="here"]')?.innerText ?? ""));
    tab.sane(expected);
  };
  const doesNotRead = async (tab, text) => {
    for (const [part] of routes) {
      await tab.open(project + part);
      await tab.sees(text);
      const shown = await tab.page.evaluate(() => document.documentElement.outerHTML);
      assert.ok(!shown.includes(secret), `${part}: a stranger sees the secret`);
    }
    tab.sane(expected, refused);
  };

  await t.test("the owner reads them, with statements for this node only", async () => {
    const statements = watch(alice);
    await reads(alice);
    assert.ok(statements.length > 0, "no statement was sent");
    for (const url of statements) assert.ok(url.startsWith(`${node.url}/v1/content/`), url);
  });

  await t.test("a stranger is told to sign in, and an account without the permission that it has none", async () => {
    const stranger = await newTab(t, node.url);
    await doesNotRead(stranger, "Not found or private: the files of this project are for its collaborators only. Sign in");
    await createAccount(stranger, "mallory");
    await doesNotRead(stranger, "Your account may not read it");
  });

  await t.test("a reader reads them, until the session ends", async () => {
    const reader = await newTab(t, node.url);
    await createAccount(reader, "bob");
    await alice.open(`${project}/settings`);
    await alice.fill("Account", "bob");
    await (await alice.page.waitForSelector('::-p-aria([name="Permission"][role="combobox"])')).select("READ");
    await sign(alice, "add-collaborator");
    await reads(reader);
    await reader.open(`${project}/file/${main}/src/secret.txt`);
    await reader.click('[data-testid="action-sign-out"]');
    await signedOut(reader);
    await doesNotRead(reader, "Sign in");
    await signIn(reader, "bob", `${project}/file/${main}/src/secret.txt`);
    await reader.sees(secret);
  });

  await t.test("a public project is read without a statement", async () => {
    await user.makechain("project", "create", "open");
    await user.git("vault", "push", "--quiet", "makechain://alice/open", "main");
    const statements = watch(alice);
    await alice.open(`/project/alice/open/file/${main}/src/secret.txt`);
    await alice.sees(secret);
    assert.deepEqual(statements, []);
  });
});

test("a node that redirects to another host does not make the page send a statement there", { timeout: 600_000 }, async (t) => {
  const node = await startNode();
  t.after(() => node.stop());
  const received = [];
  const other = createServer((request, response) => {
    received.push(request.headers.authorization ?? "none");
    response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "authorization" }).end();
  });
  await new Promise((resolve) => other.listen(0, "localhost", resolve));
  t.after(() => other.close());
  const liar = await startLiar(node);
  t.after(() => liar.stop());
  const browser = await startBrowser();
  t.after(() => browser.stop());
  const tab = await browser.tab(liar.url, { passkey: true });
  const user = new User(node, "alice");
  await createAccount(tab, "alice");
  await addKey(tab, user, node);
  await user.makechain("project", "create", "vault", "--private");
  await user.init("vault");
  await user.commit("vault", "Keep a secret", { "secret.txt": `${secret}\n` });
  await user.git("vault", "push", "--quiet", "makechain://alice/vault", "main");
  liar.redirect = (path) => (path.includes("/objects/") ? `http://localhost:${other.address().port}${path}` : undefined);
  const statements = watch(tab);
  await tab.open(`${project}/tree/${main}`);
  await tab.wait("reading fails", () => document.querySelector('[data-testid="badge"][data-status="failed"]') !== null);
  assert.ok(statements.length > 0, "no statement was sent to the node of the page");
  for (const url of statements) assert.ok(url.startsWith(`${liar.url}/v1/content/`), url);
  assert.deepEqual(received, []);
});

/** watch returns the list of URLs to which requests with a statement are sent from now on. */
function watch(tab) {
  const urls = [];
  tab.page.on("request", (request) => {
    if (request.headers().authorization !== undefined) urls.push(request.url());
  });
  return urls;
}
