// Writes screenshots of every view, or of those that are named, in light, in dark and at 390 px to docs/images. CI does not compare them: times and hashes differ.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./src/browser.js";
import { startChain } from "./src/chain.js";
import { expected } from "./src/person.js";
import { signedViews, views } from "./src/views.js";

const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const without = new Set(["project-by-id", "not-found", "fork", "open-request", "project-settings"]);
const named = new Set(process.argv.slice(2));

mkdirSync(images, { recursive: true });
const [chain, browser] = await Promise.all([startChain(), startBrowser()]);
const tab = await browser.tab(chain.node.url, { passkey: true });
// The views of an account are the last: before, nobody is signed in.
for (const list of [views, signedViews]) for (const [name, route, act] of await list(tab, chain)) {
  if (without.has(name) || (named.size > 0 && !named.has(name))) continue;
  await tab.open(route);
  await act?.();
  for (const [form, width, height, dark] of [["light", 960, 600, false], ["dark", 960, 600, true], ["phone", 390, 640, false]]) {
    await tab.page.setViewport({ width, height });
    await tab.dark(dark);
    await tab.settled();
    await tab.page.evaluate(() => {
      scrollTo(0, 0);
      document.activeElement?.blur();
    });
    await tab.page.screenshot({ path: `${images}${name}-${form}.png`, optimizeForSpeed: false });
  }
  tab.sane(expected);
  console.log(name);
}
await browser.stop();
await chain.node.stop();
