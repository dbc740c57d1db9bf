// The whole story in browsers with empty profiles: from an empty chain to a contribution that was merged in the browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { startNode } from "../src/node.js";
import { addKey, createAccount, proven, sign } from "../src/person.js";
import { User } from "../src/user.js";

for (const time of ["first", "second"]) {
  test(`an empty chain, two passkeys, a project, git, a fork and its merge: the ${time} time`, { timeout: 600_000 }, async (t) => {
    const node = await startNode();
    t.after(() => node.stop());
    const [alice, bob] = await Promise.all(["alice", "bob"].map((name) => newcomer(t, node, name)));
    const readme = "# Hello\n\nA program of two people.\n";

    await step("an account and a project", async () => {
      await createAccount(alice.tab, "alice");
      await alice.tab.open("/new");
      await alice.tab.fill("Name", "hello");
      await alice.tab.fill("Description", "A program of two people");
      await sign(alice.tab, "create-project");
      await alice.tab.wait("the project is shown", () => location.hash === "#/project/alice/hello");
      alice.tab.sane();
    });

    await step("code is pushed by git, with a key that was added in the page", async () => {
      await addKey(alice.tab, alice.user, node);
      await alice.user.init("hello");
      await alice.user.commit("hello", "Say hello", { "README.md": readme, "src/main.go": "package main\n\nfunc main() {}\n" });
      await alice.user.git("hello", "push", "--quiet", "makechain://alice/hello", "main");
    });

    await step("everything that is browsed is proven", async () => {
      const reader = await newReader(t, node);
      const main = encodeURIComponent("refs/heads/main");
      const head = (await alice.user.git("hello", "rev-parse", "main")).trim();
      // What follows the text is not state: which content the node has.
      for (const [part, text, ...claims] of [
        ["", "A program of two people."],
        [`/tree/${main}/src`, "main.go"],
        [`/file/${main}/src/main.go`, "package main"],
        [`/commits/${main}`, "Say hello"],
        [`/commit/${head}`, "func main() {}"],
        ["/refs", "main"],
        ["/people", "alice"],
        ["/content", "Git bundles", '[data-testid="here"]'],
      ]) {
        await reader.open(`/project/alice/hello${part}`);
        await reader.sees(text);
        await proven(reader, ...claims);
      }
      await reader.open("/account/alice");
      await proven(reader);
      reader.sane();
    });

    await step("a second account forks the project and opens a merge request", async () => {
      await createAccount(bob.tab, "bob");
      await bob.tab.open(`/new?fork=${encodeURIComponent("alice/hello")}`);
      await sign(bob.tab, "fork");
      await bob.tab.wait("the fork is shown", () => location.hash === "#/project/bob/hello");
      await addKey(bob.tab, bob.user, node);
      await bob.user.git("", "clone", "--quiet", "makechain://bob/hello", "fork");
      await bob.user.git("fork", "switch", "--quiet", "--create", "greeting");
      await bob.user.commit("fork", "Add a greeting", { GREETING: "Hello from Bob\n" });
      await bob.user.git("fork", "push", "--quiet", "origin", "greeting");
      await bob.tab.open("/project/bob/hello/requests?state=new");
      await bob.tab.fill("Title", "Add a greeting");
      await sign(bob.tab, "open-request");
      bob.tab.sane();
    });

    await step("the owner reviews and merges it in the browser, and git clone has it", async () => {
      await alice.tab.open("/project/alice/hello/requests");
      await alice.tab.click('[data-testid="request"] a[href*="/request/"]');
      await alice.tab.wait("it can be merged", () => document.querySelector('[data-testid="merge-state"]')?.dataset.state === "fast-forward");
      await alice.tab.sees("Hello from Bob"); // in the diff
      await sign(alice.tab, "merge");
      await alice.tab.sees("merged");
      await alice.user.git("", "clone", "--quiet", "makechain://alice/hello", "copy");
      assert.equal(await alice.user.git("copy", "show", "HEAD:GREETING"), "Hello from Bob\n");
      assert.equal(await alice.user.git("copy", "show", "HEAD:README.md"), readme);
      alice.tab.sane();
    });

    await step("signing in again needs only the passkey", async () => {
      await alice.tab.click('[data-testid="action-sign-out"]');
      await alice.tab.reload();
      await alice.tab.open("/signin");
      await alice.tab.click('[data-testid="action-sign-in"]');
      await alice.tab.wait("alice is signed in", () => document.querySelector('[data-testid="session"]')?.innerText.includes("alice"));
      const stored = await alice.tab.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
      assert.doesNotMatch(stored, /secret|seed|private/i);
      assert.equal(await alice.tab.page.evaluate(() => document.cookie), "");
      alice.tab.sane();
    });

    for (const { browser } of [alice, bob]) assert.deepEqual(browser.foreign(), []);
  });
}

/** step names the part of the story that failed. */
async function step(name, work) {
  try {
    await work();
  } catch (error) {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}

/** newcomer returns a person with a browser, a passkey authenticator and a command line, and no account. */
async function newcomer(t, node, name) {
  const browser = await startBrowser();
  t.after(() => browser.stop());
  const tab = await browser.tab(node.url, { passkey: true });
  return { name, browser, tab, node, user: new User(node, name) };
}

/** newReader returns a tab of a browser that has seen nothing yet. */
async function newReader(t, node) {
  const browser = await startBrowser();
  t.after(() => browser.stop());
  return await browser.tab(node.url);
}
