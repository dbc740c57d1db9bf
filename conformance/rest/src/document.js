// Checks the OpenAPI document of a node with two linters and with a generator of TypeScript types, against which a client
// is compiled.

import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { startNode } from "./program.js";
import { equal, Report } from "./report.js";

const [program, work] = process.argv.slice(2);
if (!work) {
  console.error("usage: node src/document.js PROGRAM DIRECTORY");
  process.exit(2);
}

// tool runs a tool of the lock file, without update checks and telemetry. It throws if the tool fails.
async function tool(name, ...args) {
  const quiet = { REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };
  try {
    await promisify(execFile)(resolve("node_modules/.bin", name), args, { env: { ...process.env, ...quiet } });
  } catch (failed) {
    throw new Error(`${name} ${args.join(" ")}\n${failed.stdout}${failed.stderr}`);
  }
}

const report = new Report();
const directory = join(work, "document");
await mkdir(directory);
const node = await startNode(program, join(work, "document-home"));
const files = [];
for (const [name, type] of [
  ["openapi.json", "application/json"],
  ["openapi.yaml", "application/yaml"],
]) {
  await report.check(name, async () => {
    const response = await fetch(`${node.REST}/${name}`);
    equal(response.status, 200);
    equal(response.headers.get("content-type"), type);
    const file = join(directory, name);
    await writeFile(file, await response.text());
    files.push(file);
  });
}
await node.stop();

for (const file of files) {
  await report.check(`redocly, ${file}`, () => tool("redocly", "lint", "--config", "redocly.yaml", file));
  await report.check(`spectral, ${file}`, () => tool("spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "warn", file));
}
await report.check("types", async () => {
  await tool("openapi-typescript", files[0], "--output", join(directory, "api.d.ts"));
  const client = join(directory, "client.ts");
  await copyFile("src/client.ts", client);
  await tool("tsc", "--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", client);
});
await report.check("the guide", async () => {
  const page = await readFile("../../docs/api/typescript.md", "utf8");
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map((block) => block[1]);
  equal(blocks.length > 0, true);
  const guide = join(directory, "guide.ts");
  await writeFile(guide, blocks.join("\n"));
  await tool("tsc", "--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", guide);
});
process.exit(report.end());
