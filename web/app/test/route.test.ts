import assert from "node:assert/strict";
import { test } from "node:test";
import { splitProject } from "../src/project.js";
import { href, parseRoute } from "../src/route.js";

test("a location and its link are the same", () => {
  for (const path of [[], ["blocks"], ["project", "alice", "hello", "tree", "refs/heads/main", "a b", "c%2fd", "#?&"], ["search"]]) {
    const link = href(path, { q: "a&b c", tab: "x" });
    const route = parseRoute(link);
    assert.deepEqual(route.path, path);
    assert.equal(route.query.get("q"), "a&b c");
  }
});

test("what is not percent-encoded is kept", () => {
  assert.deepEqual(parseRoute("#/account/%E0%A4%A").path, ["account", "%E0%A4%A"]);
  assert.deepEqual(parseRoute("").path, []);
});

test("a project is named by its id or by two segments", () => {
  const id = "0123456789abcdef".repeat(4);
  assert.deepEqual(splitProject(["alice", "hello", "tree", "refs/heads/main", "docs"]), { project: "alice/hello", base: ["project", "alice", "hello"], view: "tree", rest: ["refs/heads/main", "docs"] });
  assert.deepEqual(splitProject([id, "refs"]), { project: id, base: ["project", id], view: "refs", rest: [] });
  assert.deepEqual(splitProject(["alice"]), { project: "alice", base: ["project", "alice"], view: "", rest: [] });
});
