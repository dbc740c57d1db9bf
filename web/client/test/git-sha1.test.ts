import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Sha1 } from "../src/git/index.js";
import { vectors } from "../src/git/sha1.js";

// The first 320 bytes of the two files of https://shattered.io, which have the same SHA-1, and the first file of https://sha-mbles.github.io.
const shattered1 = Buffer.from(
  "JVBERi0xLjMKJeLjz9MKCgoxIDAgb2JqCjw8L1dpZHRoIDIgMCBSL0hlaWdodCAzIDAgUi9UeXBlIDQgMCBSL1N1YnR5cGUgNSAwIFIvRmlsdGVyIDYgMCBSL0NvbG9yU3" +
  "BhY2UgNyAwIFIvTGVuZ3RoIDggMCBSL0JpdHNQZXJDb21wb25lbnQgOD4+CnN0cmVhbQr/2P/+ACRTSEEtMSBpcyBkZWFkISEhISGFL+wJIzl1nDmxocY8TJfh//4Bc0bc" +
  "kWa2fhGPApq2IbJWD/nKZ8yox/hbqEx5AwwrPeIY+G2zqQkB1d9FwU8m/t+z3DjpasIv571yjw5FvOBG0jxXD+sUE5i7VS71oKgr4zH+pIA3uLXXHw4zLt+TrDUA603cDe" +
  "zBqGR5DHgsdiFWYN0wl5HQa9CvP5jNpLxGKbE=", "base64");
const shattered2 = Buffer.from(
  "JVBERi0xLjMKJeLjz9MKCgoxIDAgb2JqCjw8L1dpZHRoIDIgMCBSL0hlaWdodCAzIDAgUi9UeXBlIDQgMCBSL1N1YnR5cGUgNSAwIFIvRmlsdGVyIDYgMCBSL0NvbG9yU3" +
  "BhY2UgNyAwIFIvTGVuZ3RoIDggMCBSL0JpdHNQZXJDb21wb25lbnQgOD4+CnN0cmVhbQr/2P/+ACRTSEEtMSBpcyBkZWFkISEhISGFL+wJIzl1nDmxocY8TJfh//4Bf0bc" +
  "k6a2fgE7ApqqHbJWC0XKZ9aIx/hLjEx5H+ArPfYU+G2xaQkBxWtFwVMK/t+3YDjpcnIv561yjw5JBOBGwjBXD+nUE5ir4S71vJQr4zVCpIAtmLXXDyozLsN/rDUU503cDy" +
  "zBqHTNDHgwWiFWZGEwl4lga9C/P5jNqARGKaE=", "base64");
const shambles = Buffer.from(
  "mQQNBH/oF4ABIAD/S2V5IGlzIHBhcnQgb2YgYSBjb2xsaXNpb24hIEl0J3MgYSB0cmFwIXnGGvCvzAVFFdknTnMHYksdx/sjmIu43otXXbp7nqsxwWdLbZdDeKgncy/1hR" +
  "x2ouYHcrWkfOHqxAu5k8EtjHDiSk+NX83twbMsnPGeMa8kKXWdQuTf2zFxn1h2I+5VKTm23NxFn8pTVTtw+H7eMKJH6jr2x1mi8gsyDXYNtk/0eQhP08yzzdSDYtlqnEMG" +
  "F8r/bDbGN+U/3ihBf2Jv7FTteUOkbl9XMPK7OPsd9uAJABDQDiSteL+SZBmTYI6NFYp4nzTEb+HmAn81pMv7gnB2xQ7KDot8ymm7LCt5Aln5v5Vw3Y1EN6MRX6/3w8rAmt" +
  "JSZgVcJxBHVReOrv+CWiyqKs+13mTOdkHcWaVBqfycdWdW4uI9xxPIwkyXkKprDjin9V8URSocooUN3ZVi/ZoYrUJJaqlwCPdGcvaO9GHriLCZM9YmtPkYdJzAJ/3dbEJf" +
  "xCFoNdATTRUoW6sst4Sk98u0+1FNS/D2I3zwCp6fEyuaBm5v0X9sQph0eFhv9lGvlnR/tCa5hyuaiOQGP1m7M0zABlD4OoDEJ1G3GXTTAPwoGaLo8eMsG1HLGOa/xNubrv" +
  "Z11Kr1sVdKBH+PbdLsFTqTQSKTl02Sj4jO2TY8/vl84udCvzTJa47zh1Z2/qXMqOX33qC6skE9TeAO5x7gHxYr220er9kl5q66rmo1TvF88gWkBPvbEvxFTUH92VzyRZZk" +
  "oq0DLR2mCnMmQHXX8eDWwUA656DYYd8/5XBxiN1eB9FYm5+LZjBVP4/DUrPgwn2oC926TGQCDQ==", "base64");

const sha1 = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex");

test("sha1 equals that of OpenSSL for all lengths around a block", () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = randomBytes(length);
    const hash = new Sha1().update(bytes.subarray(0, length / 3)).update(bytes.subarray(length / 3));
    assert.equal(Buffer.from(hash.digest()).toString("hex"), sha1(bytes));
    assert.equal(hash.collision, false);
  }
  const large = randomBytes(1 << 20);
  const hash = new Sha1().update(large);
  assert.equal(Buffer.from(hash.digest()).toString("hex"), sha1(large));
  assert.equal(hash.collision, false);
});

test("sha1 detects known collisions", () => {
  assert.equal(sha1(shattered1), sha1(shattered2));
  for (const bytes of [shattered1, shattered2, shambles]) {
    for (const more of [0, 1, 64, 1000]) {
      const hash = new Sha1().update(bytes).update(new Uint8Array(more));
      hash.digest();
      assert.equal(hash.collision, true);
    }
  }
  assert.equal(vectors.length, 32);
});

test("sha1 does not report a changed block", () => {
  const changed = Uint8Array.from(shattered1);
  changed[200] = (changed[200] ?? 0) ^ 1;
  changed[300] = (changed[300] ?? 0) ^ 1;
  const hash = new Sha1().update(changed);
  hash.digest();
  assert.equal(hash.collision, false);
});
