import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chainHash, hashObject, MalformedError, nameBytes, nameText, objectId, parseCommit, parseTag, parseTree, type ObjectType, PathError,
} from "../src/git/index.js";
import { TestRepository } from "./repository.js";

const bytes = (text: string) => new TextEncoder().encode(text);

for (const format of ["sha1", "sha256"] as const) {
  test(`commits, trees, blobs and tags as git writes them, ${format}`, async (t) => {
    const real = new TestRepository(t, format);
    real.commit("First\n\nBody with ünïcode", { "a.txt": "one\n", "b.bin": new Uint8Array([0, 255, 10]) });
    real.git("checkout", "--quiet", "-b", "side");
    const side = real.commit("Side", { "side.txt": "s\n" });
    real.git("checkout", "--quiet", "main");
    const second = real.commit("Second", { "a.txt": "two\n" });
    real.git("merge", "--quiet", "--no-ff", "--message", "Merge", "side");
    real.git("tag", "--annotate", "--message", "The tag", "v1");
    real.git("tag", "--annotate", "--message", "A tag of a tag", "v2", "v1");
    const repository = real.open();
    const head = real.git("rev-parse", "HEAD");

    const commit = await repository.commit(head);
    assert.deepEqual(commit.parents, [second, side]);
    assert.equal(commit.tree, real.git("rev-parse", "HEAD^{tree}"));
    assert.equal(commit.message, "Merge\n");
    assert.deepEqual({ ...commit.author, time: 0 }, { name: "Ann Author", email: "ann@example.org", time: 0, zone: 90 });
    assert.equal(commit.committer.time, Number(real.git("log", "-1", "--format=%ct")));
    assert.equal(commit.signed, false);

    const listed = (await repository.tree(commit.tree)).map(({ mode, name, id }) => `${mode} blob ${id}\t${name}`).join("\n");
    assert.equal(listed, real.git("ls-tree", "HEAD"));
    assert.deepEqual(await repository.blob(real.git("rev-parse", "HEAD:b.bin")), new Uint8Array([0, 255, 10]));

    const tagObject = chainHash(real.git("rev-parse", "v2"));
    const resolved = await repository.resolve({ hash: chainHash(head), tagObject });
    assert.deepEqual(resolved.tags.map(({ name, type, message }) => [name, type, message]), [
      ["v2", "tag", "A tag of a tag\n"],
      ["v1", "commit", "The tag\n"],
    ]);
    assert.equal(resolved.commit.id, head);
    assert.deepEqual(resolved.steps.map(({ name }) => name), ["object", "object", "object"]);
    await assert.rejects(repository.resolve({ hash: chainHash(side), tagObject }), { name: "ProofError", step: "object" });
    assert.equal(objectId(chainHash(head)), head);
  });

  test(`a path is found, or is missing, ${format}`, async (t) => {
    const real = new TestRepository(t, format);
    const blob = real.write("blob", "deep\n");
    const link = real.write("blob", "../a");
    const index = [`100755 ${blob}\tx/y/z.sh`, `120000 ${link}\tx/link`, `160000 ${blob}\tx/module`].join("\n");
    real.bytes(["update-index", "--add", "--index-info"], index + "\n");
    real.git("commit", "--quiet", "--message", "m");
    const repository = real.open();
    const commit = await repository.commit(real.git("rev-parse", "HEAD"));
    assert.equal((await repository.find(commit, [])).id, commit.tree);
    const file = await repository.find(commit, ["x", "y", "z.sh"]);
    assert.deepEqual([file.kind, file.mode, file.id], ["executable", "100755", blob]);
    assert.equal(file.steps.length, 4);
    assert.equal((await repository.find(commit, ["x", "link"])).kind, "link");
    assert.equal((await repository.find(commit, ["x", "module"])).kind, "commit");
    await assert.rejects(repository.find(commit, ["x", "q"]), PathError);
    await assert.rejects(repository.find(commit, ["x", "y", "z.sh", "q"]), PathError);
    await assert.rejects(repository.find(commit, ["__proto__"]), PathError);
  });
}

test("names with every byte are distinguished, and sorted as git sorts", async (t) => {
  const real = new TestRepository(t);
  const blob = real.write("blob", "x");
  const names: Buffer[] = [];
  for (let byte = 1; byte < 256; byte++) if (byte !== 47) names.push(Buffer.from([0x6e, byte]));
  names.push(Buffer.from("n\u{10ff80}"), Buffer.from("grün \u202e"), Buffer.from([0xf4, 0x8f]), Buffer.from("-rf"), Buffer.from("<img src=x>"));
  names.push(Buffer.from("\ufeffbom"));
  const line = (name: Buffer) => Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), name, Buffer.from([0])]);
  const tree = real.bytes(["mktree", "-z"], Buffer.concat(names.map(line))).toString().trim();
  const entries = await real.open().tree(tree);
  const sorted = real.bytes(["ls-tree", "-z", "--name-only", tree]).toString("latin1").split("\0").slice(0, -1);
  assert.deepEqual(entries.map(({ name }) => Buffer.from(nameBytes(name)).toString("latin1")), sorted);
  assert.equal(new Set(entries.map(({ name }) => name)).size, names.length);
  for (const { name } of entries) assert.equal(nameText(nameBytes(decodeURIComponent(encodeURIComponent(name)))), name);
});

test("a directory sorts after a file whose name continues with a byte before the slash", async (t) => {
  const real = new TestRepository(t);
  const blob = real.write("blob", "x");
  const entries = ["a-b", "a/c", "a.c", "a0", "a=1/x"].map((name) => `100644 ${blob}\t${name}\n`).join("");
  real.bytes(["update-index", "--add", "--index-info"], entries);
  const tree = await real.open().tree(real.git("write-tree"));
  assert.deepEqual(tree.map(({ name }) => name), ["a-b", "a.c", "a", "a0", "a=1"]);
});

test("idents and encodings of old commits", () => {
  const tree = "tree " + "1".repeat(40) + "\n";
  const parse = (text: string | Uint8Array) =>
    parseCommit({ id: "2".repeat(40), type: "commit", content: typeof text === "string" ? bytes(text) : text });
  const plain = parse(tree + "author A <a> 1 +0000\ncommitter <> 2 -0930\n\nm");
  assert.deepEqual(plain.committer, { name: "", email: "", time: 2, zone: -570 });
  assert.equal(parse(tree + "author A <a>\ncommitter B <b> 2 +0000\n").author.time, 0);
  assert.equal(parse(tree + "author A <a> 1 +0000\ncommitter B <b> 2 +0000\ngpgsig -----\n x\n y\n\nm").signed, true);
  const latin = Buffer.concat([Buffer.from(tree + "author "), Buffer.from([0xe9]), Buffer.from(" <a> 1 +0000\ncommitter B <b> 2 +0000\nencoding ISO-8859-1\n\n"), Buffer.from([0xfc])]);
  assert.deepEqual([parse(latin).author.name, parse(latin).message], ["é", "ü"]);
  assert.equal(parse(tree + "author A <a> 1 +0000\ncommitter B <b> 2 +0000\nencoding x-unknown\n\nm").message, "m");
});

test("malformed objects are rejected", () => {
  const id = "2".repeat(40);
  const hash = "\x01".repeat(20);
  const ident = "A <a> 1 +0000";
  const tree = `tree ${"1".repeat(40)}\n`;
  const cases: [ObjectType, string][] = [
    ["commit", ""],
    ["commit", "tree 123\n"],
    ["commit", `tree ${"1".repeat(64)}\nauthor ${ident}\ncommitter ${ident}\n\n`], // an id of the other format
    ["commit", `${tree}committer ${ident}\nauthor ${ident}\n\n`],
    ["commit", `${tree}author ${ident}\nparent ${id}\ncommitter ${ident}\n\n`],
    ["commit", `${tree}author ${ident}\n\n`],
    ["commit", `${tree}author nobody\ncommitter ${ident}\n\n`],
    ["commit", `${tree}author ${ident}\ncommitter ${ident}`],
    ["commit", `${tree}author ${ident}\ncommitter ${ident}\nword\n\n`],
    ["tag", `object ${id}\ntype house\ntag t\n\n`],
    ["tag", `type commit\nobject ${id}\ntag t\n\n`],
    ["tree", `100644 a`],
    ["tree", `100644 a\0${hash.slice(1)}`],
    ["tree", `100600 a\0${hash}`],
    ["tree", `1006440000 a\0${hash}`],
    ["tree", `100644 \0${hash}`],
    ["tree", `100644 a/b\0${hash}`],
    ["tree", `40000 ..\0${hash}`],
    ["tree", `100644 b\0${hash}100644 a\0${hash}`],
    ["tree", `100644 a\0${hash}100644 a\0${hash}`],
    ["tree", `100644 a\0${hash}100644 a.b\0${hash}40000 a\0${hash}`],
    ["tree", `40000 a\0${hash}100644 a.b\0${hash}`],
  ];
  for (const [type, text] of cases) {
    const object = { id, type, content: Uint8Array.from(text, (character) => character.charCodeAt(0)) };
    const parse = type === "commit" ? parseCommit : type === "tag" ? parseTag : parseTree;
    assert.throws(() => parse(object), MalformedError, JSON.stringify(text));
  }
  for (const parse of [parseCommit, parseTag, parseTree]) assert.throws(() => parse({ id, type: "blob", content: bytes("") }), MalformedError);
});

test("hashObject computes the ids of git", (t) => {
  for (const format of ["sha1", "sha256"] as const) {
    const real = new TestRepository(t, format);
    for (const content of ["", "x", "y".repeat(100_000)]) {
      assert.equal(hashObject(format === "sha1" ? 40 : 64, "blob", bytes(content)), real.write("blob", content));
    }
  }
});
