// A node of the chain, as a process of its own.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// startNode starts the program in a home and resolves when it serves.
export async function startNode(program, home) {
  const node = spawn(program, ["node", "--home", home, "--grpc-addr", "127.0.0.1:0", "--rest-addr", "", "--log-level", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => node.once("exit", (code) => resolve(code)));
  const address = await new Promise((resolve, reject) => {
    ended.then((code) => reject(new Error(`the node ended with ${code} before it served`)));
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
