// Real repositories for tests, and a store that reads from them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ObjectStore, Repository, type StoreOptions } from "../src/git/index.js";

/** TestRepository is a repository in a temporary directory. */
export class TestRepository {
  readonly directory = mkdtempSync(join(tmpdir(), "makechain-git-"));
  private clock = 1_700_000_000;

  constructor(t: TestContext, readonly format: "sha1" | "sha256" = "sha1") {
    t.after(() => rmSync(this.directory, { recursive: true, force: true }));
    this.git("init", "--quiet", "--initial-branch=main", `--object-format=${format}`);
  }

  /** git runs a command and returns what it prints, without the last line feed. */
  git(...args: string[]): string {
    return this.bytes(args).toString().replace(/\n$/, "");
  }

  bytes(args: readonly string[], input: Uint8Array | string = ""): Buffer {
    this.clock += 60;
    const date = `${this.clock} +0130`;
    const env = {
      PATH: process.env["PATH"], HOME: this.directory, GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date,
      GIT_AUTHOR_NAME: "Ann Author", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_COMMITTER_NAME: "Cem Committer", GIT_COMMITTER_EMAIL: "cem@example.org",
    };
    return execFileSync("git", args, { cwd: this.directory, env, input, stdio: ["pipe", "pipe", "pipe"], maxBuffer: 64 << 20 });
  }

  /** write stores an object as it is, valid or not, and returns its id. */
  write(type: string, content: Uint8Array | string): string {
    return this.bytes(["hash-object", "-t", type, "-w", "--literally", "--stdin"], content).toString().trim();
  }

  /** commit writes files, commits everything and returns the id. */
  commit(message: string, files: Record<string, string | Uint8Array> = {}): string {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.directory, name), content);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  /** fetch answers as a content service does, with the objects of the repository. */
  readonly fetch: typeof fetch = async (input) => {
    const id = /\/objects\/([0-9a-f]+)$/.exec(String(input))?.[1] ?? "";
    try {
      const type = this.git("cat-file", "-t", id);
      return new Response(new Uint8Array(this.bytes(["cat-file", type, id])), { headers: { "Makechain-Object-Type": type } });
    } catch {
      return new Response("{}", { status: 404 });
    }
  };

  /** open returns the repository as the package reads it. */
  open(options: StoreOptions = {}): Repository {
    return new Repository(new ObjectStore("http://node.example/", "ab".repeat(32), { fetch: this.fetch, ...options }));
  }
}
