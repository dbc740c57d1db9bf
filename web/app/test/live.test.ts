import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, line } from "../src/components/plot.js";
import { summarize } from "../src/live-block.js";

test("a block of the REST API is summarized", () => {
  const message = (hash: string, type: string) => ({ hash, data: { type, owner_address: "0x11" } });
  const block = summarize({
    block: { hash: "ff", header: { height: { block_number: "7" }, timestamp: "1800000000" } },
    execution_payload: { account_messages: [message("01", "signer_add")], project_messages: [{ project_id: "aa", messages: Array.from({ length: 30 }, () => message("02", "ref_update")) }] },
  });
  assert.equal(block.number, 7);
  assert.equal(block.count, 31);
  assert.equal(block.messages.length, 20);
  assert.deepEqual(block.messages[0], { hash: "01", type: "signer_add", owner: "0x11", project: "", block: 7, time: 1_800_000_000 });
  assert.equal(block.messages[1]?.project, "aa");
  assert.equal(summarize({}).count, 0);
});

test("plots have no path without values, and stay inside", () => {
  assert.equal(line([]), "");
  assert.equal(bars([]), "");
  assert.equal(bars([0, 0]), "");
  for (const path of [line([5, 5, 9]), bars([1, 1000])]) assert.doesNotMatch(path, /NaN|Infinity|-\d+ /);
});
