// Whatever a repository, a profile or a message contains: nothing of it executes, nothing loads from elsewhere, and it looks like what it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { mark, startMalicious } from "../src/malicious.js";

let chain, browser, tab;

before(async () => {
  [chain, browser] = await Promise.all([startMalicious(), startBrowser()]);
  tab = await browser.tab(chain.node.url);
});

after(async () => {
  await browser?.stop();
  await chain?.node.stop();
});

test("nothing executes in any view of a malicious project", async (t) => {
  const project = "/project/mallory/trap";
  const main = encodeURIComponent("refs/heads/main");
  const [request] = (await chain.mallory.makechain("mr", "list", "mallory/trap", "--full")).match(/\b[0-9a-f]{64}\b/);
  const routes = [
    "/",
    "/search?q=trap",
    `/search?q=${encodeURIComponent(`<img src=x onerror=window.${mark}=1>`)}`,
    "/messages",
    "/account/mallory",
    project,
    ...["refs", "log", "forks", "people", "content", "requests", `request/${request}`].map((part) => `${project}/${part}`),
    `${project}/tree/${main}`,
    `${project}/tree/${encodeURIComponent("refs/heads/" + chain.branch)}`,
    `${project}/commits/${main}`,
    `${project}/commit/${chain.head}`,
    `${project}/commit/${(await chain.mallory.git("trap", "rev-parse", "main~1")).trim()}`,
    ...["README.md", ...chain.names].map((name) => `${project}/file/${main}/${encodeURIComponent(name)}`),
    `${project}/history/${main}/README.md`,
    `/project/${encodeURIComponent("<img src=x onerror=window.attacked=1>")}/x`,
    `/account/${encodeURIComponent('"><svg onload=window.attacked=1>')}`,
    `/message/${encodeURIComponent("javascript:window.attacked=1")}`,
    `/${encodeURIComponent("<script>window.attacked=1</script>")}`,
  ];
  for (const route of routes) {
    await t.test(route.slice(0, 100), async () => {
      await tab.open(route);
      assert.deepEqual(await suspicious(), []);
      // A route that names nothing makes requests that fail with 404 or 400.
      tab.sane(/Failed to load resource: the server responded with a status of 40[04]/);
    });
  }
  assert.deepEqual(browser.foreign(), []);
});

/** suspicious returns what must not be in the document, or have happened. */
async function suspicious() {
  return await tab.page.evaluate((mark) => {
    const found = [];
    if (window[mark] !== undefined) found.push("a script of the content was executed");
    if (typeof document.getElementById !== "function" || document.defaultView !== window) found.push("a property of the document was replaced");
    if (document.getElementById("app")?.parentElement !== document.body) found.push("the root of the page was replaced");
    for (const element of document.querySelectorAll("*")) {
      const name = element.localName;
      const inMain = element.closest("main") !== null;
      if (["script", "style", "iframe", "object", "embed", "base", "template", "noscript", "link", "meta"].includes(name) && inMain) found.push(`<${name}> in the content`);
      for (const { name: attribute, value } of element.attributes) {
        if (attribute.startsWith("on")) found.push(`${name} has ${attribute}`);
        if (["href", "src", "action", "formaction", "xlink:href", "srcset", "poster", "data"].includes(attribute) && !allowed(value)) found.push(`${name} ${attribute}=${value.slice(0, 80)}`);
      }
    }
    // Characters that change the order of what is read, or that cannot be seen, must be made visible.
    const hidden = document.body.innerText.match(/[\u200B\u202A-\u202E\u2066-\u2069]/u);
    if (hidden !== null) found.push(`U+${hidden[0].codePointAt(0).toString(16)} is in the text`);
    return found;

    function allowed(value) {
      const { protocol, origin } = new URL(value, location.href);
      if (protocol === "blob:") return origin === location.origin;
      if (protocol === "data:") return /^data:image\/(png|gif|jpeg|webp)/.test(value);
      return ["http:", "https:", "mailto:"].includes(protocol);
    }
  }, mark);
}
