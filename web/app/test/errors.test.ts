import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { advice, describe } from "../src/errors.js";

test("every code of docs/errors.md has the advice of that page", () => {
  const page = readFileSync("../../docs/errors.md", "utf8");
  const documented = new Map<string, string>();
  for (const [, code = "", cells = ""] of page.matchAll(/^\| `([a-z_0-9]+)` \|(.*)\|$/gm)) {
    const text = (cells.split(" | ").at(-1) ?? "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "").trim();
    if (!documented.has(code)) documented.set(code, text);
  }
  assert.ok(documented.size > 50);
  assert.deepEqual(advice, Object.fromEntries(documented));
});

test("errors are described by their codes", () => {
  assert.equal(describe(Object.assign(new Error("x"), { code: 5 })), advice["not_found"]);
  assert.equal(describe(Object.assign(new Error("x"), { code: "name_taken" })), advice["name_taken"]);
  assert.match(describe(Object.assign(new Error("x"), { name: "ProofError" })), /does not match/);
  assert.equal(describe(new Error("x")), "");
});
