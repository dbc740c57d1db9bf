// What a person does in the page: accounts with passkeys, and what they sign.
import assert from "node:assert/strict";
import { startBrowser } from "./browser.js";

/**
 * expected is what the console shows of answers that the page expects: a row that does not exist, one that was created before its
 * absence was proven, and a block that is not certified yet.
 */
export const expected = /(404|503) .*\/(GetOperationProof|GetFinalizedRoot)$|400 .*\/GetExclusionProof$/;

/** newTab opens a tab of a browser with an empty profile and an authenticator. Both end with the test. */
export async function newTab(t, url, { prf = true, ...options } = {}) {
  const browser = await startBrowser();
  t.after(() => browser.stop());
  const tab = await browser.tab(url, options);
  await tab.addAuthenticator({ prf });
  return tab;
}

export async function createAccount(tab, name) {
  await tab.open("/signin");
  await tab.fill("Username", name);
  await sign(tab, "create-account");
  await signedIn(tab, name);
}

/** signIn signs in again, and continues at a route. */
export async function signIn(tab, name, route = "/") {
  await tab.open(`/signin?next=${encodeURIComponent(`#${route}`)}`);
  await tab.click('[data-testid="action-sign-in"]');
  await signedIn(tab, name);
  await tab.wait("the next view is shown", (hash) => location.hash === hash, `#${route}`);
  await tab.settled();
}

export async function signedIn(tab, name) {
  await tab.wait(`${name} is signed in`, (name) => document.querySelector('[data-testid="session"]')?.innerText.includes(name), name);
}

export async function signedOut(tab) {
  await tab.wait("nobody is signed in", () => document.querySelector('[data-testid="action-signin"]') !== null);
}

/** sign presses the button of an action and agrees. */
export async function sign(tab, verb) {
  await tab.click(`[data-testid="action-${verb}"]`);
  await agree(tab);
}

/** agree signs what the dialog shows, and closes it when it is committed. */
export async function agree(tab) {
  await tab.click('[data-testid="review-sign"]');
  await tab.click('[data-testid="review-done"]');
  await closed(tab);
}

export async function closed(tab) {
  await tab.wait("the dialog is closed", () => document.querySelector("dialog[open]") === null);
}

/** addKey adds a key of the command line in the settings, so that git and makechain sign for the account. */
export async function addKey(tab, user, node) {
  await tab.open("/settings");
  await tab.click("summary::-p-text(Add a key)");
  await tab.fill("Public key", user.newKey());
  await sign(tab, "add-key");
  const account = await tab.page.$eval('[data-testid="session"] a[href^="#/account/"]', (link) => decodeURIComponent(link.hash.split("/")[2]));
  const status = await (await fetch(`${node.url}/v1/node/status`)).json();
  user.useKey(account, status.chain_id);
}

/**
 * proven fails unless the view has badges and all of them are proven. Badges in an element that matches a selector of claims may be the
 * node's word: those are for values that are not state.
 */
export async function proven(tab, ...claims) {
  await tab.settled();
  const badges = await tab.page.$$eval(
    '[data-testid="badge"]',
    (badges, claims) => badges.map((badge) => ({ status: badge.dataset.status, near: (badge.closest("section, p, td, tr") ?? badge).innerText.slice(0, 200), isClaim: claims.some((selector) => badge.closest(selector) !== null) })),
    claims,
  );
  assert.ok(badges.some(({ status }) => status === "proven"), `no badge of ${tab.page.url()} is proven`);
  assert.deepEqual(badges.filter(({ status, isClaim }) => status !== (isClaim ? "claimed" : "proven")), [], tab.page.url());
}
