// A chain with a million rows and a project of 80,000 commits, for measurements. It is kept in a directory and created only once.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startNode } from "./node.js";
import { User } from "./user.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** startLarge starts a node with the large chain, which it creates in the directory if it is not there: this takes minutes. */
export async function startLarge(directory, { rows = 1_000_000, commits = 80_000 } = {}) {
  const complete = join(directory, "complete");
  mkdirSync(directory, { recursive: true });
  const node = await startNode(["--snapshot-every", "0"], join(directory, "home"));
  if (existsSync(complete)) return node;
  const alice = new User(node, "alice");
  await alice.account();
  await alice.makechain("project", "create", "large", "--description", `A project of ${commits} commits`);
  console.log(`writing ${commits} commits`);
  await writeCommits(alice, commits);
  console.log("pushing them");
  await alice.git("large", "push", "--quiet", "makechain://alice/large", "main");
  console.log(`filling the state with ${rows} rows`);
  execFileSync("go", ["run", "-C", "bench", ".", "--nodes", node.grpc, "--rows", String(rows), "--rate", "500", "--for", "20s"], { cwd: repository, stdio: "inherit" });
  writeFileSync(complete, "");
  return node;
}

/** writeCommits writes a history of several directories and two branches that are merged again and again. */
async function writeCommits(user, commits) {
  await user.init("large");
  const git = spawn("git", ["fast-import", "--quiet"], { cwd: join(user.home, "large"), env: user.env, stdio: ["pipe", "inherit", "inherit"] });
  const ended = once(git, "exit");
  const write = async (text) => git.stdin.write(text) || (await once(git.stdin, "drain"));
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  for (let i = 1; i <= commits; i++) {
    const who = `user${i % 40} <user${i % 40}@example.org> ${1_600_000_000 + i * 1800} +0000`;
    const parents = i === 1 ? "" : i % 10 === 0 && i > 20 ? `from :${i - 1}\nmerge :${i - 7}\n` : `from :${i - 1}\n`;
    const file = `part${i % 30}/module${i % 900}.go`;
    await write(`commit refs/heads/main\nmark :${i}\nauthor ${who}\ncommitter ${who}\n${data(`Change ${i} of module ${i % 900}`)}${parents}`);
    await write(`M 100644 inline ${file}\n${data(`package part${i % 30}\n\n// Version is the last change.\nconst Version = ${i}\n`)}`);
    if (i === 1) await write(`M 100644 inline README.md\n${data("# Large\n\nA project with a long history.\n")}`);
  }
  git.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}
