import assert from "node:assert/strict";
import { test } from "node:test";
import { recognize } from "../src/recognize.js";

const hash = "ab".repeat(32);
const commit = "c0ffee".padEnd(40, "1");

test("a text means what it looks like", () => {
  for (const [text, kinds] of [
    ["42", ["block", "account"]],
    ["#1,234", ["block"]],
    ["0", ["account"]],
    ["alice", ["account"]],
    ["Alice ", ["account"]],
    ["@alice", ["account"]],
    ["alice/hello", ["project"]],
    ["makechain://alice/hello", ["project"]],
    ["alice/hello.git", ["project"]],
    [`0x${"11".repeat(20)}/hello`, ["project"]],
    [`0x${"Ab".repeat(20)}`, ["account"]],
    [commit, ["commit", "account"]],
    [hash, ["hash", "commit", "key"]],
    [hash.toUpperCase(), ["hash", "commit", "key"]],
    ["0x" + hash, ["hash", "commit", "key"]],
    ["alice/", []],
    ["a/b/c", []],
    ["-alice", []],
    ["two words", []],
    ["", []],
    ["x".repeat(33), []],
    ["12345678901234567", ["account"]],
  ] as const) {
    assert.deepEqual(recognize(text).map(({ kind }) => kind), kinds, text);
  }
});

test("values are normalized", () => {
  assert.deepEqual(recognize("1,234,567"), [{ kind: "block", number: 1_234_567n }]);
  assert.deepEqual(recognize("AB".repeat(32))[0], { kind: "hash", hash });
  assert.deepEqual(recognize("alice/Hello.git"), [{ kind: "project", name: "alice/Hello" }]);
});
