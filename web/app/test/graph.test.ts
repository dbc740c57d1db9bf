import assert from "node:assert/strict";
import { test } from "node:test";
import { Graph } from "../src/graph.js";

/** lay lays out commits, "id parent parent", and checks that the lines of each row meet those of the next. */
function lay(commits: string[]) {
  const graph = new Graph();
  let open: number[] = [];
  return commits.map((text) => {
    const [id = "", ...parents] = text.split(" ");
    const row = graph.add(id, parents);
    const above = [...row.passing.map(([top]) => top), ...row.children].sort((a, b) => a - b);
    assert.deepEqual(above, open, `the lines above ${id}`);
    open = [...new Set<number>([...row.passing.map(([, bottom]) => bottom), ...row.parents])].sort((a, b) => a - b);
    assert.ok([...above, ...open, row.lane].every((lane) => lane < row.width));
    return row;
  });
}

test("a line is one lane", () => {
  const rows = lay(["c b", "b a", "a"]);
  assert.deepEqual(rows.map(({ lane, width }) => [lane, width]), [[0, 1], [0, 1], [0, 1]]);
  assert.deepEqual(rows[2]?.parents, []);
});

test("a merge opens a lane, and its branch point closes it", () => {
  const rows = lay(["m b s", "s a", "b a", "a"]);
  assert.deepEqual(rows.map(({ lane }) => lane), [0, 1, 0, 0]);
  assert.deepEqual(rows[0]?.parents, [0, 1]);
  assert.deepEqual(rows[2]?.passing, [[1, 0]]);
  assert.deepEqual(rows[3]?.children, [0]);
});

test("several roots, tips and octopus merges", () => {
  const rows = lay(["tip1 x", "tip2 x", "x p q r", "q", "r z", "p z", "z", "lone"]);
  assert.deepEqual(rows[1]?.parents, [0]);
  assert.deepEqual(rows[2]?.parents.length, 3);
  assert.equal(rows.at(-1)?.lane, 0);
});

test("a parent that was shown before its child gets no line", () => {
  const rows = lay(["a", "b a", "c b"]);
  assert.deepEqual(rows.map(({ parents }) => parents), [[], [], []]);
});

test("80,000 commits with merges stay narrow", () => {
  const commits: string[] = [];
  for (let i = 80_000; i > 0; i--) commits.push(i % 10 === 0 && i > 10 ? `${i} ${i - 1} ${i - 5}` : i > 1 ? `${i} ${i - 1}` : `${i}`);
  assert.ok(Math.max(...lay(commits).map(({ width }) => width)) <= 3);
});
