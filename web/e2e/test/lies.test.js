// A node that lies: the badge of the value is invalid and names the step that failed, and the lie is not shown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { startChain } from "../src/chain.js";
import { absence, answer, flip, object, replace, startLiar } from "../src/proxy.js";

let chain, chainId, liar, browser, tab;

before(async () => {
  [chain, browser] = await Promise.all([startChain(), startBrowser()]);
  chainId = (await (await fetch(`${chain.node.url}/v1/node/status`)).json()).chain_id;
  liar = await startLiar(chain.node);
  tab = await browser.tab(liar.url);
  await tab.page.setCacheEnabled(false); // objects never change, so that a lie about one that is cached would not be heard
});

after(async () => {
  await browser?.stop();
  liar?.stop();
  await chain?.node.stop();
});

const project = "/project/alice/hello";
const main = encodeURIComponent("refs/heads/main");
const fileRoute = `${project}/file/${main}/src/parse.go`;

/** git returns the id of an object of the repository. */
const git = async (name) => (await chain.alice.git("hello", "rev-parse", name)).trim();

const forged = Buffer.alloc(20, 0xde);
const description = "A small program with a history";

/** The tests by name: where the lie is told, which step fails, what must not be shown anywhere, and the lie. */
const lies = {
  "another commit for a branch": [project, "root", "dededede", async () => answer("getProjectProof", ({ refs }) => {
    const ref = refs.rows.find(({ value }) => Buffer.from(value).includes(Buffer.from(chain.head, "hex")));
    ref.value = replace(ref.value, Buffer.from(chain.head, "hex"), forged);
  })],
  "a branch is hidden": [`${project}/refs`, "shape", "v1.0", async () => answer("getProjectProof", ({ refs }) => {
    refs.rows.splice(0, 1);
  })],
  "another owner of a project": [project, "root", "dededede", async () => answer("getProjectProof", (proof) => {
    const [row] = proof.project.rows;
    row.value = replace(row.value, row.value.subarray(row.value.findIndex((byte, at) => byte === 20 && at > 0) + 1).subarray(0, 20), forged);
  })],
  "another value of a row": ["/account/alice", "value", "mallo", async () => answer("getOperationProof", (proof) => {
    if (!Buffer.from(proof.value).includes("alice")) return false;
    proof.value = replace(proof.value, "alice", "mallo");
  })],
  "a row that is said not to exist": ["/account/alice", "key", "There is no account", async () => ({ ask: absence() })],
  "a list without one of its entries": [`${project}/people`, "adjacency", "write", async () => answer("getRangeProof", ({ entries }) => {
    if (entries.length === 0) return false;
    entries.pop();
  })],
  "a light block with another signature": [project, "signatures", description, async () => lightBlocks((bytes) => flip(bytes, signature(bytes) + 10))],
  "a light block of another chain": [project, "chain", description, async () => lightBlocks((bytes) => replace(bytes, chainId, chainId.replace(/.$/, (last) => (last === "x" ? "y" : "x"))))],
  "another file": [fileRoute, "object", "package false", async () => object(await git("main:src/parse.go"), (body) => replace(body, "package parse", "package false"))],
  "another directory": [`${project}/tree/${main}/src`, "object", "false.go", async () => object(await git("main:src"), (body) => replace(body, "parse.go", "false.go"))],
  "another commit object": [`${project}/commit/HEAD`, "object", "forgery", async () => object(await git("main"), (body) => replace(body, "Add a greeting", "Add a forgery!"))],
};

for (const [name, [route, step, falsehood, lie]] of Object.entries(lies)) {
  test(`${name}: the badge is invalid and names the step`, { timeout: 600_000 }, async () => {
    const told = await lie();
    [liar.lie, liar.ask] = typeof told === "function" ? [told, undefined] : [undefined, told.ask];
    liar.lies = 0;
    await tab.page.goto("about:blank");
    await tab.open(route.replace("HEAD", chain.head));
    await tab.wait("a badge is invalid", () => document.querySelector('[data-testid="badge"][data-status="invalid"]') !== null);
    assert.ok(liar.lies > 0, "nothing was asked that is lied about");
    const [invalid] = (await tab.badges()).filter(({ status }) => status === "invalid");
    const named = invalid.text.replace(/^invalid: /, "").split(": ").pop();
    assert.equal(named, step, invalid.text);
    const isShown = () => tab.page.evaluate((text) => document.documentElement.outerHTML.includes(text), falsehood);
    assert.equal(await isShown(), false, `the page shows ${falsehood}`);
    await tab.click('[data-testid="badge"][data-status="invalid"]');
    await tab.wait("the dialog names the failed step", (step) => document.querySelector("dialog[open]")?.innerText.includes(step), named);
    assert.equal(await isShown(), false, `the dialog shows ${falsehood}`);
    tab.sane();
  });
}

test("an honest node behind the same proxy is proven", async () => {
  liar.lie = liar.ask = undefined;
  await tab.page.goto("about:blank");
  await tab.open(project);
  await tab.sees(description);
  const statuses = new Set((await tab.badges()).map(({ status }) => status));
  assert.ok(statuses.has("proven") && !statuses.has("invalid") && !statuses.has("failed"), [...statuses].join());
  tab.sane();
});

/** lightBlocks returns a lie about all light blocks. */
function lightBlocks(change) {
  const changes = ["getFinalizedRoot", "getProjectProof", "listContent"].map((method) => answer(method, (message) => {
    message.lightBlock = change(message.lightBlock);
  }));
  return (...call) => changes.map((lie) => lie(...call)).find((changed) => changed !== undefined);
}

/** signature returns where the first signature of a light block begins: field 4 of 64 bytes. */
function signature(bytes) {
  const at = Buffer.from(bytes).indexOf(Buffer.from([0x22, 0x40]));
  assert.ok(at > 0, "the light block has no signature");
  return at + 2;
}
