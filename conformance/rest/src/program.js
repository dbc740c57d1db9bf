// The program, as a process of its own.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// start runs a command of the program and resolves when it has said all the addresses that are asked for.
async function start(program, args, names) {
  const child = spawn(program, [...args, "--log-level", "error"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  const found = {};
  await new Promise((resolve, reject) => {
    ended.then((code) => reject(new Error(`${args[0]} ended with ${code} before it served`)));
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

// startNode starts a node in a home, at ports of its own unless it is told one for calls.
export function startNode(program, home, grpc = "127.0.0.1:0") {
  return start(program, ["node", "--home", home, "--grpc-addr", grpc, "--rest-addr", "127.0.0.1:0"], ["gRPC", "REST"]);
}

// startGateway starts a gateway in front of a node.
export function startGateway(program, upstream, rest = "127.0.0.1:0") {
  return start(program, ["gateway", "--upstream", upstream, "--rest-addr", rest], ["REST"]);
}
