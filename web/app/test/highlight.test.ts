import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { highlight, languageOf } from "../src/highlight.js";

const tokens = (text: string, name: string) => highlight(text, languageOf(name)).map((line) => line.map(({ kind, text }) => `${kind}:${text}`));

test("comments, strings, numbers and keywords", () => {
  assert.deepEqual(tokens('func f(x int) { // "c"\n\treturn 0x1f + `a\nb`', "main.go"), [
    ["keyword:func", ": ", "name:f", ":(x ", "keyword:int", ":) { ", 'comment:// "c"'],
    [":\t", "keyword:return", ": ", "number:0x1f", ": + ", "string:`a"],
    ["string:b`"],
  ]);
  assert.deepEqual(tokens("key: value # c", "x.yml")[0], ["name:key", ":: value ", "comment:# c"]);
  assert.deepEqual(tokens("let a = 'it\\'s';", "a.ts")[0], ["keyword:let", ": a = ", "string:'it\\'s'", ":;"]);
  assert.deepEqual(tokens("<p class=\"x\">don't</p>", "a.html")[0]?.slice(0, 3), [":<", "keyword:p", ": "]);
  assert.deepEqual(tokens("plain <b>", "LICENSE"), [[":plain <b>"]]);
});

test("tokens are the text, for every file here and for cut ones", () => {
  const names = readdirSync("src").filter((name) => name.includes("."));
  assert.ok(names.length > 5);
  for (const name of names) {
    const text = readFileSync(`src/${name}`, "utf8");
    for (const cut of [text, text.slice(0, text.length / 2), text.slice(100)]) {
      for (const language of ["a.go", "a.ts", "a.py", "a.html", "a.css", "a.sh", "a.sql", "a.yml", "a.rs", "Makefile", "a.lua"]) {
        const lines = highlight(cut, languageOf(language)).map((line) => line.map(({ text }) => text).join(""));
        assert.equal(lines.join("\n"), cut);
      }
    }
  }
});

test("no text takes more than linear time", () => {
  for (const text of ['"'.repeat(50_000), "'\\".repeat(25_000), "/*".repeat(25_000), "`${".repeat(20_000), "𝒳".repeat(25_000), "a".repeat(100_000)]) {
    for (const name of ["js", "python", "html", "rust", "shell"]) {
      assert.equal(highlight(text, name).flat().map((token) => token.text).join(""), text);
    }
  }
});

test("names are not looked up on prototypes", () => {
  assert.equal(languageOf("a.constructor"), undefined);
  assert.equal(languageOf("__proto__"), undefined);
  assert.equal(languageOf("src/Makefile"), "make");
});
