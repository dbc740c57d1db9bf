// Merge requests of every outcome: what the page does with them, and what it shows of them when they are closed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { startNode } from "../src/node.js";
import { addKey, agree, createAccount, expected, sign } from "../src/person.js";
import { User } from "../src/user.js";

let node, browsers, alice, bob;
const project = "/project/alice/hello";

before(async () => {
  node = await startNode();
  browsers = await Promise.all([startBrowser(), startBrowser()]);
  [alice, bob] = await Promise.all(["alice", "bob"].map(async (name, index) => {
    const tab = await browsers[index].tab(node.url, { passkey: true });
    const user = new User(node, name);
    await createAccount(tab, name);
    await addKey(tab, user, node);
    return { tab, user };
  }));
  await alice.user.makechain("project", "create", "hello");
  await alice.user.init("hello");
  await alice.user.commit("hello", "Say hello", { README: "Hello\n" });
  await alice.user.git("hello", "remote", "add", "origin", "makechain://alice/hello");
  await alice.user.git("hello", "push", "--quiet", "--set-upstream", "origin", "main");
  await bob.user.makechain("project", "fork", "alice/hello");
  await bob.user.git("", "clone", "--quiet", "makechain://bob/hello", "fork");
}, { timeout: 600_000 });

after(async () => {
  await Promise.all((browsers ?? []).map((browser) => browser.stop()));
  await node?.stop();
});

/** propose pushes a branch with a number of commits to the fork and opens a merge request. It returns its id. */
async function propose(name, commits = 1) {
  const { user } = bob;
  await user.git("fork", "fetch", "--quiet", "makechain://alice/hello", "refs/heads/main");
  await user.git("fork", "switch", "--quiet", "--create", name, "FETCH_HEAD");
  user.seconds = Math.max(user.seconds, alice.user.seconds);
  for (let i = 1; i <= commits; i++) await user.commit("fork", `${name} ${i}`, { [name]: `text of ${name} ${i}\n` });
  await user.git("fork", "push", "--quiet", "origin", name);
  await user.makechain("mr", "open", "alice/hello@main", "--from", `bob/hello@${name}`, "--title", name);
  const line = (await user.makechain("mr", "list", "alice/hello", "--full")).split("\n").find((each) => each.includes(name));
  return line.match(/\b[0-9a-f]{64}\b/)[0];
}

/** closedAs waits until a request is shown as closed, and fails unless its commits and diff are shown with this certainty. */
async function closedAs(tab, id, outcome, start, texts) {
  await tab.open(`${project}/request/${id}`);
  await tab.wait(`it is ${outcome}`, (outcome) => document.querySelector(`article [data-outcome="${outcome}"]`) !== null, outcome);
  await tab.wait(`its commits are known by ${start}`, (start) => document.querySelector('[data-testid="extent"]')?.dataset.start === start, start);
  for (const text of texts) await tab.sees(text);
  await tab.settled();
  const statuses = (await tab.badges()).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === "claimed").length, start === "log" ? 1 : 0, statuses.join());
  assert.ok(!statuses.includes("invalid") && !statuses.includes("failed"), statuses.join());
  tab.sane(expected);
}

test("a fast-forward: where it began is the node's word, and said to be", { timeout: 600_000 }, async () => {
  const id = await propose("forward", 2);
  await alice.tab.open(`${project}/request/${id}`);
  await sign(alice.tab, "merge");
  await closedAs(alice.tab, id, "merged", "log", ["2 commits", "forward 1", "text of forward 2", "is the node's word, from its ref log"]);
  await alice.user.git("hello", "pull", "--quiet");
});

test("a merge commit: everything is proven; closed as merged in the page", { timeout: 600_000 }, async () => {
  const id = await propose("joined", 2);
  const { user } = alice;
  user.seconds = Math.max(user.seconds, bob.user.seconds);
  await user.commit("hello", "Meanwhile", { OTHER: "other\n" });
  await user.git("hello", "fetch", "--quiet", "makechain://bob/hello", "refs/heads/joined");
  user.tick();
  await user.git("hello", "merge", "--quiet", "--no-ff", "--message", "Merge joined", "FETCH_HEAD");
  await user.git("hello", "push", "--quiet", "origin", "main");
  const merge = (await user.git("hello", "rev-parse", "main")).trim();
  const second = await propose("contained");
  await user.git("hello", "fetch", "--quiet", "makechain://bob/hello", "refs/heads/contained");
  await user.git("hello", "merge", "--quiet", "--ff-only", "FETCH_HEAD");
  await user.git("hello", "push", "--quiet", "origin", "main");
  await user.makechain("mr", "close", "alice/hello", id.slice(0, 8), "--merged", "--commit", merge);
  await closedAs(alice.tab, id, "merged", "parents", ["2 commits", "joined 1", "text of joined 2"]);

  await alice.tab.open(`${project}/request/${second}`);
  await alice.tab.wait("the branch contains it", () => document.querySelector('[data-testid="merge-state"]')?.dataset.state === "merged");
  await sign(alice.tab, "close-merged");
  await closedAs(alice.tab, second, "merged", "log", ["1 commit", "text of contained 1"]);
});

test("declined and withdrawn requests are compared with the branch", { timeout: 600_000 }, async () => {
  const [declined, withdrawn] = [await propose("declined"), await propose("withdrawn")];
  await alice.tab.open(`${project}/request/${declined}`);
  await sign(alice.tab, "decline");
  await closedAs(alice.tab, declined, "declined", "now", ["1 commit", "text of declined 1"]);
  await bob.tab.open(`${project}/request/${withdrawn}`);
  await bob.tab.wait("it can be withdrawn, but not declined by its author", () => document.querySelector('[data-testid="action-withdraw"]') !== null && document.querySelector('[data-testid="action-decline"]') === null);
  await sign(bob.tab, "withdraw");
  await closedAs(bob.tab, withdrawn, "withdrawn", "now", ["1 commit", "text of withdrawn 1"]);
});

test("more commits than the page merges: the command is shown instead of the button", { timeout: 600_000 }, async () => {
  const id = await propose("long", 201);
  await alice.tab.open(`${project}/request/${id}`);
  await alice.tab.sees("The page merges at most 200 commits, and this request has 201.");
  await alice.tab.sees(`makechain mr merge alice/hello ${id.slice(0, 8)}`);
  assert.equal(await alice.tab.page.$('[data-testid="action-merge"]'), null);
});

test("without the objects of the fork a closed request says why nothing is shown", { timeout: 600_000 }, async () => {
  const id = await propose("lost");
  await alice.tab.open(`${project}/request/${id}`);
  await sign(alice.tab, "decline");
  await bob.tab.open("/project/bob/hello/settings");
  await bob.tab.fill("Type hello to confirm", "hello");
  await bob.tab.click('[data-testid="action-remove-project"]');
  await agree(bob.tab);
  await bob.tab.sees("There is no project bob/hello");
  await alice.tab.page.setCacheEnabled(false);
  await alice.tab.reload();
  await alice.tab.open(`${project}/request/${id}`);
  await alice.tab.sees("Without these objects the commits and changes cannot be shown.");
  alice.tab.sane(expected, /status of 404 .*\/v1\/content\//);
});
