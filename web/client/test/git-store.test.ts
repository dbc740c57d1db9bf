import assert from "node:assert/strict";
import { test } from "node:test";
import { ContentError, hashObject, maxObjectBytes, ObjectStore } from "../src/git/index.js";

const project = "ab".repeat(32);
const bytes = (text: string) => new TextEncoder().encode(text);
const blob = (text: string) => hashObject(40, "blob", bytes(text));
const answer = (content: string | ReadableStream, headers: Record<string, string> = {}) =>
  new Response(content, { headers: { "Makechain-Object-Type": "blob", ...headers } });

test("a wrong object is a ProofError", async () => {
  const id = blob("right");
  for (const lie of [
    () => answer("wrong"),
    () => answer("right", { "Makechain-Object-Type": "tree" }),
    () => answer("right\0"),
    () => answer(""),
  ]) {
    const store = new ObjectStore("http://n", project, { fetch: async () => lie() });
    await assert.rejects(store.get(id), { name: "ProofError", step: "object" });
    await assert.rejects(store.get(id), { name: "ProofError" }, "it is not cached");
  }
});

test("refusals name the object and the status", async () => {
  const id = blob("x");
  const problem = JSON.stringify({ code: "permission_denied", detail: "the project is private" });
  const store = (response: () => Response) => new ObjectStore("http://n", project, { fetch: async () => response() });
  await assert.rejects(store(() => new Response("", { status: 404 })).get(id), (error) => error instanceof ContentError && error.status === 404);
  await assert.rejects(store(() => new Response(problem, { status: 403 })).get(id), /the project is private/);
  await assert.rejects(store(() => new Response("<html>", { status: 500 })).get(id), /HTTP 500/);
  await assert.rejects(store(() => new Response("x")).get(id), /type/);
  await assert.rejects(store(() => answer("x")).get("../../x"), RangeError);
});

test("a busy service is asked again", async () => {
  let asked = 0;
  const store = new ObjectStore("http://n", project, {
    fetch: async () => (++asked < 3 ? new Response("", { status: asked === 1 ? 429 : 503 }) : answer("x")),
  });
  assert.equal((await store.get(blob("x"))).type, "blob");
  assert.equal(asked, 3);
});

test("more than 8 MiB is never read", async () => {
  let pulled = 0;
  let cancelled = false;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        pulled += 1 << 20;
        controller.enqueue(new Uint8Array(1 << 20));
      },
      cancel() {
        cancelled = true;
      },
    });
  const store = new ObjectStore("http://n", project, { fetch: async () => answer(endless()) });
  await assert.rejects(store.get(blob("x")), (error) => error instanceof ContentError && error.status === 413);
  assert.ok(pulled <= maxObjectBytes + (4 << 20), `read ${pulled}`);
  assert.ok(cancelled);
  pulled = 0;
  const honest = new ObjectStore("http://n", project, { fetch: async () => answer(endless(), { "Content-Length": String(maxObjectBytes + 1) }) });
  await assert.rejects(honest.get(blob("x")), ContentError);
  assert.ok(pulled <= 1 << 20);
});

test("readers of an object share a request, which ends when all of them have left", async () => {
  let asked = 0;
  let ended = false;
  const store = new ObjectStore("http://n", project, {
    fetch: (_, init) => {
      asked++;
      return new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => {
          ended = true;
          reject(new Error("ended"));
        });
      });
    },
  });
  const first = new AbortController(), second = new AbortController();
  const reads = [store.get(blob("x"), first.signal), store.get(blob("x"), second.signal)];
  first.abort();
  await assert.rejects(reads[0] as Promise<unknown>, { name: "AbortError" });
  assert.equal(ended, false);
  second.abort();
  await assert.rejects(reads[1] as Promise<unknown>, { name: "AbortError" });
  assert.deepEqual([asked, ended], [1, true]);
});

test("at most four requests run, the cache is bounded, and a signal ends waiting", async () => {
  let running = 0, most = 0, asked = 0;
  const fetch = async (input: URL | RequestInfo) => {
    asked++;
    most = Math.max(most, ++running);
    await new Promise((resume) => setImmediate(resume));
    running--;
    const text = texts.find((candidate) => String(input).endsWith(blob(candidate))) ?? "";
    return answer(text);
  };
  const texts = Array.from({ length: 40 }, (_, i) => `${i}`.repeat(500));
  const store = new ObjectStore("http://n", project, { fetch, cacheBytes: 8000 });
  await Promise.all(texts.map((text) => store.get(blob(text))));
  assert.ok(most <= 4, `${most} at a time`);
  assert.equal(asked, 40);
  await store.get(blob(texts[39] as string));
  assert.equal(asked, 40, "the last one is cached");
  await store.get(blob(texts[0] as string));
  assert.equal(asked, 41, "the first one is not");
  const aborted = AbortSignal.abort();
  await assert.rejects(store.get(blob("x"), aborted), { name: "AbortError" });
});

test("the statement of a private project is sent", async () => {
  let sent: string | null = null;
  const store = new ObjectStore("http://n/", project, {
    authorization: async () => "Makechain key",
    fetch: async (url, init) => {
      assert.equal(String(url), `http://n/v1/content/${project}/objects/${blob("x")}`);
      sent = new Headers(init?.headers).get("Authorization");
      return answer("x");
    },
  });
  await store.get(blob("x"));
  assert.equal(sent, "Makechain key");
});
