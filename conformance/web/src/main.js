// Starts a node and calls it over HTTP/1.1 with the clients that web pages use.

import { checkConnect } from "./connect.js";
import { startNode } from "./node.js";
import { checkOriginal } from "./original.js";
import { equal, Report } from "./report.js";

const [program, home] = process.argv.slice(2);
if (!home) {
  console.error("usage: node src/main.js PROGRAM HOME");
  process.exit(2);
}
const report = new Report();
const node = await startNode(program, home);
await checkConnect(report, node.url);
await checkOriginal(report, node.url);
await report.check("the node stops", async () => equal(await node.stop(), 0));
console.log(`${report.passed} passed, ${report.failed} failed`);
process.exit(report.failed === 0 ? 0 : 1);
