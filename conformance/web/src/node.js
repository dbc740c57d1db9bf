// Starts a node as a separate process.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// startNode starts a node with a home directory and resolves when it serves.
export async function startNode(program, home) {
  const node = spawn(program, ["node", "--home", home, "--grpc-addr", "127.0.0.1:0", "--rest-addr", "", "--log-level", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => node.once("exit", (code) => resolve(code)));
  const address = await new Promise((resolve, reject) => {
    ended.then((code) => reject(new Error(`the node exited with ${code} before it served`)));
    createInterface({ input: node.stdout }).on("line", (line) => {
      const [, found] = /^gRPC\s+(\S+)$/.exec(line) ?? [];
      if (found) resolve(found);
    });
  });
  return {
    url: `http://${address}`,
    stop: async () => {
      node.kill("SIGINT");
      return ended;
    },
  };
}
