// The tests with a real node, in Node, and all tests that need no files, in Chromium with the same node.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import * as modules from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "puppeteer-core";
import { liveTests } from "./live.js";
import { startNode } from "./node.js";

// The tests are bundled into another directory: packages are found from that of the workspace, which is the current one.
const packages = modules.createRequire(join(process.cwd(), "package.json"));
const load = async (name: string): Promise<unknown> => import(pathToFileURL(packages.resolve(name)).href);

const node = await startNode();
after(() => node.stop());
liveTests(node.url);

/** browserTests are the tests that need no files. */
const browserTests = ["message", "custody", "protobuf", "proof", "lightclient"];

/** bundle returns a script that runs the tests in a browser and calls report with the failures. */
async function bundle(): Promise<string> {
  const { build } = (await load("esbuild")) as typeof import("esbuild");
  const contents = [
    ...browserTests.map((name) => `import "./${name}.test.ts";`),
    'import { liveTests } from "./live.ts";',
    'import { run } from "./browser/test.ts";',
    `liveTests(${JSON.stringify(node.url)});`,
    "globalThis.finished = run();",
  ].join("\n");
  const alias = { "node:test": join(process.cwd(), "test/browser/test.ts"), "node:assert/strict": join(process.cwd(), "test/browser/assert.ts") };
  const built = await build({ stdin: { contents, resolveDir: join(process.cwd(), "test"), loader: "ts" }, bundle: true, format: "esm", target: "es2022", write: false, alias, ignoreAnnotations: true });
  return built.outputFiles[0]?.text ?? "";
}

test("the same tests pass in Chromium", async () => {
  const script = await bundle();
  const server = createServer((request, response) => {
    const isScript = request.url === "/tests.js";
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : '<!doctype html><meta charset="utf-8"><title>tests</title><script type="module" src="tests.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { launch } = (await load("puppeteer-core")) as { launch(options: object): Promise<Browser> };
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const browser = await launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: flags, protocolTimeout: 600_000 });
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.finished !== undefined", { timeout: 120_000 });
    const { passed, failures } = (await page.evaluate("globalThis.finished")) as { passed: number; failures: string[] };
    assert.deepEqual(failures, []);
    assert.ok(passed > 20, `${passed} tests`);
  } finally {
    await browser.close();
    await new Promise((resolve) => server.close(resolve));
  }
});
