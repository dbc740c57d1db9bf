// The page served by the user's own program: it states whom it trusts, and does not show another chain.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startBrowser } from "../src/browser.js";
import { programs, startNode } from "../src/node.js";
import { start } from "../src/scratch.js";
import { User } from "../src/user.js";

let node, browser, user;

before(async () => {
  [node, browser] = await Promise.all([startNode(), startBrowser()]);
  user = new User(node, "alice");
  await user.account();
});

after(async () => {
  await browser?.stop();
  await node?.stop();
});

/** explorer starts the program in front of the node, with the genesis file of a node. */
function explorer(t, { home }) {
  const args = ["explorer", "--listen", "localhost:0", "--node", node.grpc, "--genesis", join(home, "config", "genesis.json")];
  const program = start(join(programs(), "makechain"), args, { env: user.env });
  t.after(() => program.stop());
  return program;
}

test("the page trusts the genesis file, and says so", async (t) => {
  const [, url] = await explorer(t, node).line(/^page\s+(http:\/\/localhost:\d+)$/m);
  const tab = await browser.tab(url);
  await tab.open("/account/alice");
  const statuses = new Set((await tab.badges()).map(({ status }) => status));
  assert.ok(statuses.has("proven") && !statuses.has("invalid") && !statuses.has("failed"), [...statuses].join());
  await tab.sees("Verified by your own program.");
  await tab.sees("It trusts the genesis file");
  tab.sane();
});

test("a node of another chain is not shown", async (t) => {
  const other = await startNode();
  t.after(() => other.stop());
  const program = explorer(t, other);
  assert.notEqual(await program.ended, 0);
  assert.match(program.output(), /chain/);
});
