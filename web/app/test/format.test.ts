import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, count, duration, gitId, parseHex, plural, shorten, size, visible, words } from "../src/format.js";

test("numbers and sizes", () => {
  assert.equal(count(1_234_567n), "1,234,567");
  assert.equal(plural(1, "block"), "1 block");
  assert.equal(plural(2n, "entry", "entries"), "2 entries");
  assert.equal(size(1), "1 byte");
  assert.equal(size(999), "999 bytes");
  assert.equal(size(1000), "1 kB");
  assert.equal(size(1536), "1.54 kB");
  assert.equal(size(999_600), "1 MB");
  assert.equal(size(100_000_000), "100 MB");
});

test("times", () => {
  const now = 1_800_000_000;
  for (const [time, text] of [
    [now, "now"],
    [now - 12, "12 sec. ago"],
    [now - 59, "59 sec. ago"],
    [now - 60, "1 min. ago"],
    [now - 7_300, "2 hr. ago"],
    [now - 200_000, "2 days ago"],
    [now + 40 * 86_400, "in 1 mo."],
    [now - 3 * 31_536_000, "3 yr. ago"],
  ] as const) {
    assert.equal(ago(time, now), text);
  }
  assert.equal(duration(93_784), "1 d 2 h");
  assert.equal(duration(0), "0 s");
});

test("ids", () => {
  assert.equal(gitId(Uint8Array.from({ length: 32 }, (_, index) => (index < 20 ? 0xab : 0))), "ab".repeat(20));
  assert.equal(gitId(new Uint8Array(32).fill(0xab)), "ab".repeat(32));
  assert.equal(shorten("0x" + "ab".repeat(20)), "0xabababab");
  assert.deepEqual(parseHex("0aFF"), Uint8Array.of(10, 255));
  assert.equal(parseHex("abc"), undefined);
  assert.equal(parseHex("zz"), undefined);
});

test("characters that change how a text reads are visible", () => {
  assert.equal(visible("a\u202eb\u0000c\u{e0041}"), "a⟨U+202E⟩b⟨U+0000⟩c⟨U+E0041⟩");
  assert.equal(visible("two\nlines\tand ünïcode 漢字 😀"), "two\nlines\tand ünïcode 漢字 😀");
  assert.equal(words("COMMIT_BUNDLE"), "commit bundle");
});
