// The example of docs/api/typescript.md runs in a new project that has installed the package from its directory.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { Client, hex } from "../src/index.js";
import { createAccount } from "./live.js";
import { startNode } from "./node.js";

const run = promisify(execFile);
const node = await startNode();
after(() => node.stop());

test("the example of the guide runs in a new project", async () => {
  const guide = readFileSync("../../docs/api/typescript.md", "utf8");
  const [, example = ""] = /^```js\n(.*?)^```$/ms.exec(guide) ?? [];
  assert.match(example, /"http:\/\/localhost:50051".*"alice".*"alice\/hello"/s);
  const account = await createAccount(new Client(node.url));
  const directory = mkdtempSync(join(tmpdir(), "makechain-guide-"));
  try {
    writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }));
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
    await run("npm", ["install", "--install-links", ...quiet, process.cwd()], { cwd: directory });
    writeFileSync(join(directory, "example.js"), example.replace("http://localhost:50051", node.url).replaceAll('"alice', `"${account.name}`));
    const { stdout } = await run(process.execPath, ["example.js"], { cwd: directory, env: { ...process.env, SECRET: hex(account.secret) } });
    assert.ok(stdout.startsWith(hex(account.commit)), stdout);
    assert.match(stdout, /signatures/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
