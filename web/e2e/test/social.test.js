// Stars, follows and likes, the end of a session without use, and the keyboard in the dialog that signs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { startChain } from "../src/chain.js";
import { closed, createAccount, expected, proven, sign, signedIn, signedOut, signIn } from "../src/person.js";

let chain, browser, others, tab, reader;

before(async () => {
  // Passkeys need a tab in the foreground, so that the reader has a browser of its own.
  [chain, browser, others] = await Promise.all([startChain(), startBrowser(), startBrowser()]);
  tab = await browser.tab(chain.node.url, { passkey: true });
  reader = await others.tab(chain.node.url);
  await createAccount(tab, "carol");
}, { timeout: 600_000 });

after(async () => {
  await Promise.all([browser?.stop(), others?.stop()]);
  await chain?.node.stop();
});

/** What can be set: where the button is, and where somebody else sees what: when it is set, and when it is not. */
const toggles = {
  star: [() => "/project/alice/hello", "/account/carol/stars", "alice/hello", "This account starred no projects."],
  follow: [() => "/account/alice", "/account/carol/following", "alice", "This account follows nobody."],
  like: [() => `/project/alice/hello/commit/${chain.head}`, undefined, "2 likes", "1 like"], // bob likes it, too
};

for (const [verb, [route, seenAt, set, unset]] of Object.entries(toggles)) {
  test(`${verb}, and undo it`, { timeout: 600_000 }, async () => {
    const isSeen = async (text) => {
      await reader.page.goto("about:blank");
      await reader.open(seenAt ?? route());
      await reader.wait(`others see ${text}`, (text) => document.querySelector("main").innerText.includes(text), text);
      await proven(reader);
    };
    await tab.open(route());
    await sign(tab, verb);
    await tab.wait("it is set", (verb) => document.querySelector(`[data-testid="action-un${verb}"]`)?.ariaPressed === "true", verb);
    await isSeen(set);
    await sign(tab, `un${verb}`);
    await tab.wait("it is not set", (verb) => document.querySelector(`[data-testid="action-${verb}"]`)?.ariaPressed === "false", verb);
    await isSeen(unset);
    for (const each of [tab, reader]) each.sane(expected);
  });
}

test("without a session a star leads to the sign-in, and back", { timeout: 600_000 }, async () => {
  await tab.reload();
  await signedOut(tab);
  await tab.open("/project/alice/hello");
  await tab.click('[data-testid="action-star"]');
  await tab.wait("the sign-in is shown", () => location.hash.startsWith("#/signin?next="));
  await tab.click('[data-testid="action-sign-in"]');
  await signedIn(tab, "carol");
  await tab.wait("the project is shown again", () => location.hash === "#/project/alice/hello");
  tab.sane(expected);
});

test("the dialog that signs, with the keyboard only", { timeout: 600_000 }, async () => {
  const { page } = tab;
  const focused = (id) => tab.wait(`${id} has the focus`, (id) => document.activeElement?.dataset.testid === id, id);
  await tab.open("/account/bob");
  await page.waitForSelector('[data-testid="action-follow"]:enabled');
  await page.focus('[data-testid="action-follow"]');
  await page.keyboard.press("Enter");
  await focused("review-sign");
  for (let presses = 0; presses < 12; presses++) {
    await page.keyboard.press("Tab");
    // The browser's own controls may have the focus between the last and the first element; nothing behind the dialog may.
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.querySelector("dialog[open]").contains(document.activeElement)), "the focus left the dialog");
  }
  await page.keyboard.press("Escape");
  await closed(tab);
  await tab.wait("the button has the focus again", () => document.activeElement?.dataset.testid === "action-follow");
  await page.keyboard.press("Enter");
  await focused("review-sign");
  await page.keyboard.press("Enter");
  await focused("review-done");
  await page.keyboard.press("Enter");
  await closed(tab);
  await tab.wait("it is set", () => document.querySelector('[data-testid="action-unfollow"]') !== null);
  tab.sane(expected);
});

test("30 minutes without use end the session", { timeout: 600_000 }, async () => {
  // The clock of the page is replaced, so that the test does not wait: timers of at least a minute run when it is told to.
  await tab.page.evaluateOnNewDocument(() => {
    const [set, clear] = [setTimeout, clearTimeout];
    const long = new Map();
    let next = 1e9;
    globalThis.setTimeout = (run, delay, ...args) => (delay >= 60_000 ? (long.set(++next, { run, delay }), next) : set(run, delay, ...args));
    globalThis.clearTimeout = (id) => void (long.delete(id) || clear(id));
    globalThis.idle = (delay) => [...long.values()].filter((timer) => timer.delay <= delay).forEach(({ run }) => run());
  });
  await tab.page.goto("about:blank");
  await signIn(tab, "carol", "/settings");
  await tab.page.evaluate(() => globalThis.idle(29 * 60_000));
  await signedIn(tab, "carol");
  await tab.page.evaluate(() => globalThis.idle(30 * 60_000));
  await signedOut(tab);
  await tab.sees("Nobody is signed in.");
});

test("a message leads to the project, ref and commit that it wrote; a search for a commit states its limit", { timeout: 600_000 }, async () => {
  await reader.open("/messages");
  const route = await reader.wait("a ref update is listed", () => [...document.querySelectorAll("main tr")].find((row) => row.querySelector(".kind")?.innerText === "ref update")?.querySelector('a[href^="#/message/"]').hash.slice(1));
  await reader.open(route);
  for (const part of ["tree", "commit"]) await reader.page.waitForSelector(`dl a[href*="/${part}/"]`);
  await reader.open(`/search?q=${"12".repeat(20)}`);
  await reader.sees("A commit is looked for in the first 50 projects");
  reader.sane(expected, /status of 404/);
});
