import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { diffLines, hunkHeader, hunks, sides, splitLines } from "../src/diff.js";

function apply(old: string[], now: string[]): string[] {
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, oldEnd, newStart, newEnd } of diffLines(old, now)) {
    assert.ok(oldStart >= at);
    result.push(...old.slice(at, oldStart), ...now.slice(newStart, newEnd));
    at = oldEnd;
  }
  return [...result, ...old.slice(at)];
}

function patch(old: string, now: string): string {
  const a = splitLines(old), b = splitLines(now);
  const mark = { added: "+", deleted: "-", same: " " };
  const body = hunks(a, b, diffLines(a, b)).flatMap((hunk) => [
    hunkHeader(hunk) + "\n",
    ...hunk.lines.map(({ kind, text }) => mark[kind] + (text.endsWith("\n") ? text : text + "\n\\ No newline at end of file\n")),
  ]);
  return "--- a/f\n+++ b/f\n" + body.join("");
}

/** gitApplies reports that git turns one text into the other with the patch. */
function gitApplies(t: TestContext, old: string, now: string): void {
  const directory = mkdtempSync(join(tmpdir(), "makechain-diff-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "f"), old);
  execFileSync("git", ["apply", "--unsafe-paths", "-"], { cwd: directory, input: patch(old, now), env: { PATH: process.env["PATH"], GIT_DIR: "/dev/null" } });
  assert.equal(readFileSync(join(directory, "f"), "utf8"), now);
}

/** random is a generator with a seed, so that failures can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("edits turn one text into the other, for random texts", () => {
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed);
    const alphabet = 2 + next(20);
    const old = Array.from({ length: next(60) }, () => `${next(alphabet)}\n`);
    const now = old.flatMap((line) => (next(5) === 0 ? [] : next(6) === 0 ? [`${next(alphabet)}\n`, line] : [line]));
    assert.deepEqual(apply(old, now), now, `seed ${seed}`);
    assert.deepEqual(apply(now, old), old, `seed ${seed}`);
  }
});

test("the edits are as few as those of git", () => {
  const old = splitLines("a\nb\nc\na\nb\nb\na\n"), now = splitLines("c\nb\na\nb\na\nc\n");
  const count = diffLines(old, now).reduce((sum, edit) => sum + edit.oldEnd - edit.oldStart + edit.newEnd - edit.newStart, 0);
  assert.equal(count, 5);
});

test("patches apply with git", (t) => {
  const text = Array.from({ length: 200 }, (_, i) => `line ${i % 50}\n`).join("");
  const cases: [string, string][] = [
    ["a\n", "b\n"],
    ["a\nb\nc\n", "a\nc\n"],
    ["a\nb\n", "a\nb"],
    ["a\nb", "a\nb\n"],
    ["x\n", "x\ny"],
    [text, text.replace("line 3\n", "").replace("line 40\n", "changed\nadded\n") + "end"],
    [text, "first\n" + text],
  ];
  for (const [old, now] of cases) gitApplies(t, old, now);
  for (let seed = 1; seed <= 20; seed++) {
    const next = random(seed);
    const old = Array.from({ length: 100 }, () => `${next(30)}\n`);
    const now = old.flatMap((line) => (next(8) === 0 ? [] : next(9) === 0 ? ["new\n", line] : [line]));
    if (now.join("") !== old.join("")) gitApplies(t, old.join(""), now.join(""));
  }
});

test("texts that have nothing in common, or are large, are bounded", () => {
  const old = Array.from({ length: 20_000 }, (_, i) => `${i % 7}\n`), now = Array.from({ length: 20_000 }, (_, i) => `${i % 11}x\n`);
  assert.deepEqual(diffLines(old, now), [{ oldStart: 0, oldEnd: 20_000, newStart: 0, newEnd: 20_000 }]);
  const shuffled = Array.from({ length: 20_000 }, (_, i) => `${(i * 7919) % 5000}\n`);
  assert.deepEqual(apply(old, shuffled), shuffled);
  assert.deepEqual(diffLines([], []), []);
  assert.deepEqual(diffLines(["a\n"], ["a\n"]), []);
});

test("sides puts deleted lines next to those that replace them", () => {
  const old = splitLines("1\n2\n3\n4\n"), now = splitLines("1\ntwo\nthree\nmore\n4\n");
  const rows = hunks(old, now, diffLines(old, now)).flatMap(sides).map(({ left, right }) => [left?.text.trim(), right?.text.trim()]);
  assert.deepEqual(rows, [["1", "1"], ["2", "two"], ["3", "three"], [undefined, "more"], ["4", "4"]]);
});
