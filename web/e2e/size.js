// Fails if the scripts of the page are larger than their budget.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** budget is the size of all scripts together in bytes. Each is compressed by gzip. */
const budget = 120_000;
const dist = new URL("../dist/", import.meta.url);

const sizes = new Map(
  readdirSync(dist)
    .filter((name) => name.endsWith(".js"))
    .map((name) => [name, gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length]),
);
const sum = (names) => [...names].reduce((total, name) => total + sizes.get(name), 0);
const preloaded = [...readFileSync(new URL("index.html", dist), "utf8").matchAll(/(?:href|src)="([^"]+\.js)"/g)].map(([, name]) => name);

const total = sum(sizes.keys());
console.log(`scripts of the first view: ${sum(preloaded)} bytes; of all views: ${total} of at most ${budget}`);
if (total > budget) {
  console.error(`web: the scripts of the page are ${total - budget} bytes larger than their budget`);
  process.exit(1);
}
