// Real nodes on free ports in temporary homes, and the programs.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { start, temporary } from "./scratch.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

let built = process.env.MAKECHAIN_PROGRAMS;

/** programs returns the directory of makechain and git-remote-makechain: MAKECHAIN_PROGRAMS, else they are built once per process. */
export function programs() {
  if (built === undefined) {
    built = temporary();
    execFileSync("go", ["build", "-o", built + "/", "./cmd/..."], { cwd: repository, stdio: "inherit" });
  }
  return built;
}

/** startNode starts a node with a new chain. The page is at url, whose host is localhost because passkeys need a domain. */
export async function startNode(args = [], home = join(temporary(), "home")) {
  const node = start(join(programs(), "makechain"), ["node", "--home", home, "--grpc-addr", "127.0.0.1:0", "--rest-addr", "localhost:0", ...args]);
  await node.line(/^stop /m);
  const grpc = node.output().match(/^gRPC\s+(\S+)/m)[1];
  const port = new URL(node.output().match(/https?:\/\/\S+/)[0]).port;
  return { grpc, url: `http://localhost:${port}`, home, stop: () => node.stop(), output: () => node.output() };
}
