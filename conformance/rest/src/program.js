// Starts makechain as a separate process.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// start runs a command and resolves when it has printed all requested addresses.
async function start(program, args, names) {
  const child = spawn(program, [...args, "--log-level", "error"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  const found = {};
  await new Promise((resolve, reject) => {
    ended.then((code) => reject(new Error(`${args[0]} exited with ${code} before it served`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [name, value] = line.split(/\s+/);
      if (names.includes(name)) found[name] = value;
      if (names.every((each) => found[each])) resolve();
    });
  });
  const end = (signal) => {
    child.kill(signal);
    return ended;
  };
  return { ...found, stop: () => end("SIGINT"), kill: () => end("SIGKILL") };
}

// startNode starts a node with a home directory, at free ports unless a gRPC address is given.
export function startNode(program, home, grpc = "127.0.0.1:0") {
  return start(program, ["node", "--home", home, "--grpc-addr", grpc, "--rest-addr", "127.0.0.1:0"], ["gRPC", "REST"]);
}

// startGateway starts a gateway in front of a node.
export function startGateway(program, upstream, rest = "127.0.0.1:0") {
  return start(program, ["gateway", "--upstream", upstream, "--rest-addr", rest], ["REST"]);
}
