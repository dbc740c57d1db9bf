// Follows a chain with EventSource clients whose connections are interrupted in different ways, and checks that each client
// receives every event exactly once.

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { claim, claimSteadily, latestBlock, messagesSince } from "./chain.js";
import { startCutter } from "./cutter.js";
import { follow, until } from "./follower.js";
import { startNginx } from "./nginx.js";
import { startGateway, startNode } from "./program.js";
import { deepEqual, equal, Report } from "./report.js";

const [program, work] = process.argv.slice(2);
if (!work) {
  console.error("usage: node src/events.js PROGRAM DIRECTORY");
  process.exit(2);
}

const host = (url) => url.replace("http://", "");
const home = join(work, "home");
const report = new Report();
let node = await startNode(program, home);

// interrupt follows messages through a URL while claims are made and the connection is disturbed, and compares the received
// messages with those of the chain.
async function interrupt(url, disturb) {
  const start = await latestBlock(node.REST);
  const follower = await follow(`${url}/v1/stream/messages`);
  const claims = claimSteadily(() => node.REST);
  await until("claims are made", () => claims.count() > 20);
  await disturb(follower);
  const before = claims.count();
  await until("more claims are made", () => claims.count() > before + 20);
  const hashes = await claims.stop();
  await until("the last claim was received", () => follower.data.at(-1)?.hash === hashes.at(-1));
  follower.close();
  const messages = await messagesSince(node.REST, start);
  deepEqual(follower.ids, messages.map(({ block_number, index }) => `${block_number}-${index}`));
  deepEqual(follower.data, messages);
  return follower;
}

// reopen waits until a follower has reconnected after its connection was closed.
async function reopen(follower, close) {
  const { opened } = follower;
  await close();
  await until("the stream is open again", () => follower.opened > opened);
}

await report.check("a client whose connection is cut five times", async () => {
  const cutter = await startCutter(host(node.REST));
  const follower = await interrupt(cutter.url, async (each) => {
    for (let i = 0; i < 5; i++) await reopen(each, cutter.cut);
  });
  equal(follower.opened, 6);
  cutter.close();
});

await report.check("a client of a gateway that is killed and restarted", async () => {
  let gateway = await startGateway(program, node.gRPC);
  const address = host(gateway.REST);
  await interrupt(gateway.REST, (follower) => reopen(follower, async () => {
    await gateway.kill();
    gateway = await startGateway(program, node.gRPC, address);
  }));
  equal(await gateway.stop(), 0);
});

await report.check("a client of a gateway whose node restarts keeps its connection", async () => {
  const gateway = await startGateway(program, node.gRPC);
  const follower = await interrupt(gateway.REST, async () => {
    const { gRPC } = node;
    equal(await node.stop(), 0);
    node = await startNode(program, home, gRPC);
  });
  equal(follower.opened, 1);
  equal(await gateway.stop(), 0);
});

await report.check("a client behind nginx, which is restarted", async () => {
  const nginx = await startNginx(join(work, "nginx"), host(node.REST));
  const follower = await interrupt(nginx.url, (each) => reopen(each, nginx.restart));
  equal(follower.opened, 2);
  await nginx.stop();
});

await report.check("nginx does not buffer events", async () => {
  const nginx = await startNginx(join(work, "nginx"), host(node.REST));
  const follower = await follow(`${nginx.url}/v1/stream/messages`);
  for (let i = 0; i < 5; i++) {
    const hash = await claim(node.REST);
    await until("the event was received", () => follower.data.at(-1)?.hash === hash, 2_000);
    await pause(100); // longer than a block takes, so that no other data flushes the event
  }
  follower.close();
  await nginx.stop();
});

await report.check("blocks from the first on", async () => {
  const latest = await latestBlock(node.REST);
  const follower = await follow(`${node.REST}/v1/stream/blocks?from=0`);
  await until("the latest block was received", () => BigInt(follower.ids.at(-1) ?? 0) >= latest);
  follower.close();
  follower.ids.forEach((id, i) => equal(id, String(i + 1)));
  deepEqual(follower.data[0], await (await fetch(`${node.REST}/v1/blocks/1`)).json());
});

await report.check("the node stops while clients listen", async () => {
  const follower = await follow(`${node.REST}/v1/stream/blocks`);
  equal(await node.stop(), 0);
  follower.close();
});
process.exit(report.end());
