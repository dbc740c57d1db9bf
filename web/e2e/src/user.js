// A user of the command line and of git, with a home and a configuration of their own.
import { execFile } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { programs } from "./node.js";
import { temporary } from "./scratch.js";

const exec = promisify(execFile);

/** User runs makechain and git for one person. Commits have the same ids in every run: names and dates are fixed. */
export class User {
  constructor(node, name) {
    this.name = name;
    this.home = temporary();
    this.seconds = 1_760_000_000; // the date of the next commit
    this.env = {
      PATH: `${programs()}:${process.env.PATH}`,
      HOME: this.home,
      MAKECHAIN_CONFIG_DIR: join(this.home, "config"),
      MAKECHAIN_NODE: node.grpc,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: `${name}@example.org`,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: `${name}@example.org`,
    };
  }

  /** makechain runs the program and returns what it prints. */
  async makechain(...args) {
    return await this.#run(join(programs(), "makechain"), args, this.home);
  }

  /** git runs git in a directory below the home. */
  async git(directory, ...args) {
    return await this.#run("git", args, join(this.home, directory));
  }

  /** commit writes files (a name to its text or bytes) and commits them, ten minutes after the previous commit. */
  async commit(directory, message, files, ...flags) {
    for (const [name, content] of Object.entries(files)) this.write(directory, name, content);
    await this.git(directory, "add", "--all");
    this.tick();
    await this.git(directory, "commit", "--quiet", "--allow-empty", "--message", message, ...flags);
  }

  /** tick sets the date of the next commit or tag. */
  tick() {
    this.seconds += 600;
    this.env.GIT_AUTHOR_DATE = this.env.GIT_COMMITTER_DATE = `${this.seconds} +0000`;
  }

  write(directory, name, content) {
    const path = join(this.home, directory, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  }

  /** init creates a repository. */
  async init(directory) {
    mkdirSync(join(this.home, directory), { recursive: true });
    await this.git(directory, "init", "--quiet", "--initial-branch=main");
  }

  /** account creates an account with storage and a username. */
  async account() {
    await this.makechain("account", "create", this.name, "--insecure-plaintext");
  }

  /** newKey returns the public key, in hex, of a new key whose secret only this user has. */
  newKey() {
    const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
    const hex = (text) => Buffer.from(text, "base64url").toString("hex");
    this.key = { publicKey: hex(x), secret: hex(d) };
    return this.key.publicKey;
  }

  /** useKey makes the new key the one that signs for an account, after the account has added it. */
  useKey(owner, chainId) {
    const directory = join(this.env.MAKECHAIN_CONFIG_DIR, "accounts");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const key = {
      makechain: { kind: "ed25519", public_key: this.key.publicKey, insecure_plaintext: this.key.secret },
      id: randomUUID(),
      version: 3,
    };
    writeFileSync(join(directory, `${this.name}.json`), JSON.stringify({ owner, network: "devnet", chain_id: chainId, key }), { mode: 0o600 });
  }

  async #run(program, args, cwd) {
    mkdirSync(cwd, { recursive: true });
    try {
      return (await exec(program, args, { cwd, env: this.env, maxBuffer: 64 << 20, timeout: 300_000 })).stdout;
    } catch (error) {
      throw new Error(`${program} ${args.join(" ")}: ${error.stderr || error.message}`);
    }
  }
}
