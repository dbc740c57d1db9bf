// Runs the tests of a workspace, test/*.test.ts, in Node: `npm test --workspace client`. They are bundled into a temporary directory, so that
// TypeScript and JSX need no loader; the current directory is that of the workspace. Arguments are passed on to `node --test`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const files = readdirSync("test").filter((name) => /\.test\.tsx?$/.test(name));
if (files.length === 0) throw new Error("there are no tests");
const directory = mkdtempSync(join(tmpdir(), "makechain-web-"));
try {
  await build({
    entryPoints: files.map((name) => join("test", name)),
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  const built = readdirSync(directory).map((name) => join(directory, name));
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...process.argv.slice(2), ...built], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
