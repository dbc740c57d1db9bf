// Temporary directories and child processes, which end with the test process.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directories = new Set();
const children = new Set();

// A test process that fails must leave no node, browser or directory behind.
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** temporary returns a new directory, which is removed when the process ends. */
export function temporary() {
  const directory = mkdtempSync(join(tmpdir(), "makechain-e2e-"));
  directories.add(directory);
  return directory;
}

/** start starts a program. stop() ends it with SIGTERM, or SIGKILL after ten seconds, and returns when it has ended. */
export function start(program, args, options) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  children.add(child);
  let output = "";
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code));
    child.once("error", (error) => resolve(error.message));
  }).finally(() => children.delete(child));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => (output = (output + text).slice(-100_000)));
  }
  return {
    ended,
    output: () => output,
    /** line returns the match of a pattern in the output as soon as there is one, and fails if the program ends before. */
    line(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const match = output.match(pattern);
          if (match !== null) resolve(match);
        };
        look();
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        ended.then((how) => reject(new Error(`${program} ended with ${how}:\n${output}`)));
      });
    },
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
