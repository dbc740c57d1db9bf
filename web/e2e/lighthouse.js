// Prints the scores of Lighthouse on a new chain: the median of five runs of each view. Use a quiet machine.
import { startChain } from "./src/chain.js";
import { scores } from "./src/lighthouse.js";

const runs = 5;
const chain = await startChain();
const main = encodeURIComponent("refs/heads/main");
for (const phone of [false, true]) {
  for (const route of ["/", "/project/alice/hello", `/project/alice/hello/file/${main}/src/parse.go`, `/project/alice/hello/commits/${main}`]) {
    const found = [];
    for (let run = 0; run < runs; run++) found.push(await scores(chain.node.url, route, { phone }));
    const median = (name) => found.map((run) => run[name]).sort((a, b) => a - b)[Math.floor(runs / 2)];
    console.log(
      `${phone ? "phone  " : "desktop"} performance ${median("performance")} accessibility ${median("accessibility")} best practices ${median("practices")}` +
        ` first paint ${median("firstPaint")} ms largest ${median("largestPaint")} ms layout shift ${median("shift").toFixed(3)}  ${route}`,
    );
    for (const problem of new Set(found.flatMap(({ failed }) => failed))) console.log(`  ${problem}`);
  }
}
await chain.node.stop();
