// An EventSource client that records its events.

import { EventSource } from "eventsource";
import { setTimeout as pause } from "node:timers/promises";

// follow opens a stream and resolves when it is open.
export async function follow(url) {
  const source = new EventSource(url);
  const follower = { ids: [], data: [], opened: 0, problems: [], close: () => source.close() };
  const note = (event) => {
    follower.ids.push(event.lastEventId);
    follower.data.push(JSON.parse(event.data));
  };
  source.addEventListener("message", note);
  source.addEventListener("block", note);
  source.addEventListener("error", (event) => {
    if (event.data) follower.problems.push(JSON.parse(event.data));
  });
  source.addEventListener("open", () => follower.opened++);
  await until("the stream is open", () => follower.opened > 0);
  return follower;
}

// until waits until a condition holds.
export async function until(what, holds, milliseconds = 30_000) {
  for (const end = Date.now() + milliseconds; !holds(); await pause(10)) {
    if (Date.now() > end) throw new Error(`timeout after ${milliseconds} ms, waiting until ${what}`);
  }
}
