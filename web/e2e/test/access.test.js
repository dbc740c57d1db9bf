// Every view for everybody: axe-core finds nothing in light, in dark and at 390 px, nothing overflows, and the keyboard is enough.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { overflow, violations } from "../src/axe.js";
import { startBrowser } from "../src/browser.js";
import { startChain } from "../src/chain.js";
import { expected, newTab } from "../src/person.js";
import { signedViews, views } from "../src/views.js";

let chain, browser, tab;

before(async () => {
  [chain, browser] = await Promise.all([startChain(), startBrowser()]);
  tab = await browser.tab(chain.node.url);
});

after(async () => {
  await browser?.stop();
  await chain?.node.stop();
});

test("no view violates WCAG 2.2 AA, in light, in dark and at 390 px, and none overflows there", async (t) => {
  for (const [name, route] of await views(tab, chain)) await t.test(name, () => accessible(tab, route));
});

test("nor does a view behind the sign-in, or the dialog that signs", { timeout: 600_000 }, async (t) => {
  const other = await newTab(t, chain.node.url);
  for (const [name, route, act] of await signedViews(other)) await t.test(name, () => accessible(other, route, act));
});

/** accessible fails if axe-core finds something in a view, or if the view is wider than a phone. */
async function accessible(tab, route, act) {
  const found = [];
  await tab.page.setViewport({ width: 1280, height: 900 });
  await tab.open(route);
  await act?.();
  for (const dark of [false, true]) {
    await tab.dark(dark);
    found.push(...(await violations(tab)).map((text) => `${dark ? "dark" : "light"}: ${text}`));
  }
  await tab.dark(false);
  await tab.page.setViewport({ width: 390, height: 844 });
  found.push(...(await violations(tab)).map((text) => `390 px: ${text}`));
  found.push(...(await overflow(tab)).map((text) => `wider than 390 px: ${text}`));
  assert.deepEqual(found, []);
  tab.sane(expected);
}

test("the dialog of a badge", async () => {
  await tab.page.setViewport({ width: 1280, height: 900 });
  await tab.open("/project/alice/hello");
  await tab.click('[data-testid="badge"][data-status="proven"]');
  await tab.page.waitForSelector("dialog[open]");
  assert.deepEqual(await violations(tab), []);
  await tab.page.keyboard.press("Escape");
  await tab.wait("the dialog is closed", () => document.querySelector("dialog[open]") === null);
});

test("the keyboard is enough: search, follow a link, open and close the dialog of a badge", async () => {
  const { page } = tab;
  await page.setViewport({ width: 1280, height: 900 });
  await tab.open("/");
  await tab.reload();
  await focus('input[type="search"]');
  await page.keyboard.type("alice");
  await page.keyboard.press("Enter");
  await tab.wait("results or the account are shown", () => /alice/.test(document.querySelector("main")?.innerText ?? "") && location.hash !== "#/");
  await tab.open("/blocks");
  await focus('main a[href^="#/block/"]');
  await page.keyboard.press("Enter");
  await tab.wait("the block is shown", () => /^#\/block\/\d+/.test(location.hash));
  await tab.settled();
  await tab.open("/project/alice/hello");
  await focus('[data-testid="badge"][data-status="proven"]');
  await page.keyboard.press("Enter");
  await tab.wait("the dialog has the focus", () => document.querySelector("dialog[open]")?.contains(document.activeElement) === true);
  await page.keyboard.press("Escape");
  await tab.wait("the badge has the focus again", () => document.querySelector("dialog[open]") === null && document.activeElement?.matches('[data-testid="badge"]'));
  tab.sane();
});

/** focus presses Tab until an element has the focus. Every element on the way must show that it has it. */
async function focus(selector) {
  for (let presses = 0; presses < 200; presses++) {
    await tab.page.keyboard.press("Tab");
    const found = await tab.page.evaluate((selector) => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      const visible = element === document.body || style.outlineStyle !== "none" || style.boxShadow !== "none";
      return { html: element.outerHTML.slice(0, 200), visible, wanted: element.matches(selector) };
    }, selector);
    assert.ok(found.visible, `no visible focus: ${found.html}`);
    if (found.wanted) return;
  }
  assert.fail(`not reached by Tab: ${selector}`);
}
