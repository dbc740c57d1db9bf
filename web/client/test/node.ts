// Starts a node of a development chain, in a directory that is deleted afterwards.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Running is a node that serves at a URL. */
export interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

/** startNode starts a node and returns when it serves. The program is that in MAKECHAIN_PROGRAMS, or is built. */
export async function startNode(): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), "makechain-node-"));
  let programs = process.env["MAKECHAIN_PROGRAMS"];
  if (programs === undefined) {
    programs = directory;
    execFileSync("go", ["build", "-C", "../..", "-o", `${directory}/`, "./cmd/makechain"], { stdio: "inherit" });
  }
  const options = ["--home", join(directory, "home"), "--grpc-addr", "127.0.0.1:0", "--rest-addr", "", "--log-level", "error"];
  const node = spawn(join(programs, "makechain"), ["node", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => node.once("exit", resolve));
  const address = await new Promise<string>((resolve, reject) => {
    node.once("error", reject);
    void ended.then((code) => reject(new Error(`the node exited with ${code} before it served`)));
    createInterface({ input: node.stdout }).on("line", (line) => {
      const [, found] = /^gRPC\s+(\S+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    url: `http://${address}`,
    stop: async () => {
      node.kill("SIGINT");
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
