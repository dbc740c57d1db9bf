import assert from "node:assert/strict";
import { test } from "node:test";
import { diffTrees, Log, PathHint, PathLog } from "../src/git/index.js";
import { TestRepository } from "./repository.js";

/** merged returns a repository with branches that were merged twice. */
function merged(t: ConstructorParameters<typeof TestRepository>[0], format: "sha1" | "sha256" = "sha1"): TestRepository {
  const real = new TestRepository(t, format);
  real.commit("1", { "a.txt": "1\n", "b.txt": "1\n" });
  real.git("checkout", "--quiet", "-b", "side");
  real.commit("2 side", { "a.txt": "2\n" });
  real.commit("3 side", { "c.txt": "3\n" });
  real.git("checkout", "--quiet", "main");
  real.commit("4", { "b.txt": "4\n" });
  real.git("merge", "--quiet", "--no-ff", "--message", "5 merge", "side");
  real.commit("6", { "a.txt": "6\n" });
  real.git("checkout", "--quiet", "-b", "other", "HEAD~2");
  real.commit("7 other", { "d.txt": "7\n", "a.txt": "7\n" });
  real.git("checkout", "--quiet", "main");
  real.git("merge", "--quiet", "--no-ff", "--strategy=ours", "--message", "8 merge", "other");
  real.git("rm", "--quiet", "b.txt");
  real.commit("9");
  return real;
}

for (const format of ["sha1", "sha256"] as const) {
  test(`the log is that of git, in pages, ${format}`, async (t) => {
    const real = merged(t, format);
    const log = new Log(real.open(), [real.git("rev-parse", "HEAD")]);
    const found: string[] = [];
    while (!log.done) found.push(...(await log.page(2)).map(({ id }) => id));
    assert.deepEqual(found, real.git("log", "--format=%H").split("\n"));
  });
}

test("the log of a path is that of git, and a hint of it is verified", async (t) => {
  const real = merged(t);
  const head = real.git("rev-parse", "HEAD");
  const repository = real.open();
  for (const path of ["a.txt", "b.txt", "c.txt", "d.txt", "missing"]) {
    const log = new PathLog(repository, head, [path]);
    const found: string[] = [];
    while (!log.done) found.push(...(await log.page(1, 3)).map(({ id }) => id));
    const expected = real.git("log", "--format=%H", "--", path).split("\n").filter((id) => id !== "");
    assert.deepEqual(found, expected, path);
    const tip = await repository.identify((await repository.commit(head)).tree, [path]);
    const hint = new PathHint(repository, [path], tip);
    const middle = Math.floor(expected.length / 2);
    const verified = [...(await hint.verify(expected.slice(0, middle), false)), ...(await hint.verify(expected.slice(middle), true))];
    assert.deepEqual(verified.map(({ id }) => id), expected);
    const wrong = async (ids: string[]) =>
      assert.rejects(new PathHint(repository, [path], tip).verify(ids, true), { name: "ProofError", step: "object" }, path);
    if (expected.length > 1) await wrong(expected.slice(1)); // the latest change is left out
    if (expected.length > 1) await wrong(expected.slice(0, -1)); // the first one
    await wrong([real.git("rev-parse", "HEAD~1"), ...expected]); // a commit that does not change it
  }
});

test("differences of trees are those of git", async (t) => {
  const real = new TestRepository(t);
  const blob = (text: string) => real.write("blob", text);
  const commit = (files: Record<string, string>) => {
    real.git("read-tree", "--empty");
    const lines = Object.entries(files).map(([name, value]) => `${value.includes(" ") ? value : "100644 " + blob(value)}\t${name}\n`);
    real.bytes(["update-index", "--add", "--index-info"], lines.join(""));
    return real.git("write-tree");
  };
  const empty = real.git("mktree");
  const before = commit({ "a": "1", "dir/x": "2", "dir/y": "3", "keep/deep/z": "4", "moved/old": "5", "was-file": "6", "mode": "7", "m": `160000 ${blob("q")}` });
  const after = commit({ "a": "one", "dir/x": "2", "keep/deep/z": "4", "moved/new": "5", "was-file/now": "8", "was.file": "9", "mode": `100755 ${blob("7")}` });
  const repository = real.open();
  for (const [base, head] of [[before, after], [after, before], [empty, after], [after, empty], [after, after]] as const) {
    const { changes, truncated } = await diffTrees(repository, base, head, 100);
    const letter = { added: "A", deleted: "D", modified: "M", renamed: "R100" };
    const text = changes.map(({ kind, path, from }) => letter[kind] + "\t" + (from === undefined ? path : `${from}\t${path}`)).sort();
    const expected = real.git("diff-tree", "-r", "--find-renames=100%", "--name-status", base, head).split("\n").filter((line) => line !== "");
    assert.deepEqual(text, expected.sort());
    assert.equal(truncated, false);
  }
  const added = await diffTrees(repository, undefined, after, 3);
  assert.deepEqual([added.changes.length, added.truncated], [3, true]);
  assert.ok(added.steps.length > 0);
});
