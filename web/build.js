// Builds the TypeScript package into client/dist and the page into dist. Both are committed: users need only Go, or npm.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

rmSync(here("client/dist"), { recursive: true, force: true });
execFileSync(process.execPath, [here("node_modules/typescript/bin/tsc"), "-p", here("client")], { stdio: "inherit" });

// The page has the tables of those methods of the node only whose names its sources or those of the package have, and no names of messages,
// which only users of the package read.
const sources = ["app/src", "client/src"].flatMap((directory) => readdirSync(here(directory), { recursive: true }).map((name) => join(here(directory), name)));
const words = new Set(sources.filter((name) => /\.tsx?$/.test(name)).flatMap((name) => readFileSync(name, "utf8").match(/\w+/g)));
const usedMethods = {
  name: "used methods",
  setup: ({ onLoad }) =>
    onLoad({ filter: /client.gen.schema\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8")
        .replace(/^ +(\w+): method\(.*\n/gm, (line, name) => (words.has(name) ? line : ""))
        .replace(/( message<\w+>)\("[^"]*"/g, '$1(""'),
    })),
};

rmSync(here("dist"), { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { app: here("app/src/main.tsx"), live: here("app/src/live.ts"), styles: here("app/styles/main.css") },
  outdir: here("dist"),
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  chunkNames: "chunk-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  plugins: [usedMethods],
});
for (const path of readdirSync(here("dist")).filter((name) => name.endsWith(".js")).map((name) => here(`dist/${name}`))) {
  const { code } = await minify(readFileSync(path, "utf8"), { module: true, ecma: 2020, compress: { passes: 3 } });
  writeFileSync(path, code);
}
cpSync(here("app/public"), here("dist"), { recursive: true });

// The scripts that the page needs at once are requested together with the first one, instead of after it was parsed.
const outputs = Object.fromEntries(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
const needed = new Set();
const collect = (name) => {
  for (const { path, kind } of outputs[name]?.imports ?? []) {
    if (kind !== "import-statement" || needed.has(basename(path))) continue;
    needed.add(basename(path));
    collect(basename(path));
  }
};
collect("app.js");
const links = [...needed].sort().map((name) => `    <link rel="modulepreload" href="${name}">\n`).join("");
const page = readFileSync(here("dist/index.html"), "utf8");
writeFileSync(here("dist/index.html"), page.replace("  </head>", links + "  </head>"));
