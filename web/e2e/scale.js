// Measures how long each view takes to open, and the memory of the page, on a chain with a million rows and a project of 80,000 commits.
// The first argument is the directory of the chain, which is created there if it does not exist. Use a quiet machine.
import { startBrowser } from "./src/browser.js";
import { startLarge } from "./src/large.js";

const rounds = 3;
const directory = process.argv[2] ?? fail("usage: npm run --prefix web/e2e scale -- <directory for the chain>");
const node = await startLarge(directory);
const project = "/project/alice/large";
const main = encodeURIComponent("refs/heads/main");

const first = await browse(async (tab) => {
  await tab.open(project);
  await tab.open(`${project}/commits/${main}`);
  return await tab.wait("a commit is listed", () => document.querySelector('main a[href*="/commit/"]')?.hash.slice(1));
});
const routes = [
  "/", "/search?q=large", "/blocks", "/block/100", "/messages", "/validators", "/node", "/account/alice",
  project, `${project}/tree/${main}`, `${project}/tree/${main}/part1`, `${project}/file/${main}/part1/module1.go`, `${project}/history/${main}/part1/module1.go`,
  `${project}/commits/${main}`, first, ...["refs", "log", "forks", "people", "content", "requests"].map((part) => `${project}/${part}`),
];

console.log("opened in a new browser, with an empty profile: median of", rounds);
let slowest = 0;
for (const route of routes) {
  const times = [];
  let heap = 0;
  for (let round = 0; round < rounds; round++) {
    await browse(async (tab) => {
      const start = performance.now();
      await tab.open(route);
      times.push(performance.now() - start);
      heap = Math.max(heap, await used(tab));
    });
  }
  const time = times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
  slowest = Math.max(slowest, time);
  console.log(`${(time / 1000).toFixed(2).padStart(6)} s  ${heap.toFixed(1).padStart(6)} MiB  ${route}`);
}

// The whole history, page by page, and every view again and again in one tab: the memory must not grow with what was seen.
await browse(async (tab) => {
  await tab.open(`${project}/commits/${main}`);
  for (const commits of [1000, 3000]) {
    await tab.wait(`${commits} commits are loaded`, (commits) => {
      scrollTo(0, document.body.scrollHeight);
      [...document.querySelectorAll("main button")].find((button) => /more|older/i.test(button.textContent) && !button.disabled)?.click();
      const shown = [...document.querySelector("main").innerText.matchAll(/Change (\d+) of/g)].map(([, number]) => 80_000 - Number(number));
      return Math.max(0, ...shown) >= commits;
    }, commits);
    console.log(`${(await used(tab)).toFixed(1).padStart(16)} MiB  with ${commits} commits`);
  }
  for (let round = 1; round <= 3; round++) {
    for (const route of routes) await tab.open(route);
    console.log(`${(await used(tab)).toFixed(1).padStart(16)} MiB  after all views, ${round} times`);
  }
});
console.log(`the slowest view took ${(slowest / 1000).toFixed(2)} s`);
await node.stop();

async function browse(visit) {
  const browser = await startBrowser();
  try {
    return await visit(await browser.tab(node.url));
  } finally {
    await browser.stop();
  }
}

/** used returns the memory of the page's JavaScript heap in MiB, after a garbage collection. */
async function used(tab) {
  const devtools = await tab.page.createCDPSession();
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize / (1 << 20);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
