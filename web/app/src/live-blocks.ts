// The newest blocks, as the shared worker receives them.
import { useEffect, useState } from "preact/hooks";
import type { LiveBlock } from "./live-block.js";
import { workerUrl } from "./trusted.js";

/** How many blocks a view keeps. */
const kept = 120;

type Listener = (blocks: readonly LiveBlock[]) => void;

const listeners = new Set<Listener>();
let known: readonly LiveBlock[] = [];
let started = false;

function start(): void {
  started = true;
  const options = { type: "module", name: "makechain-live" } as const;
  const receive = (event: MessageEvent<readonly LiveBlock[]>) => {
    const numbers = new Set(known.map((block) => block.number));
    known = [...event.data.filter((block) => !numbers.has(block.number)), ...known].sort((a, b) => b.number - a.number).slice(0, kept);
    for (const listener of listeners) listener(known);
  };
  if (typeof SharedWorker === "undefined") {
    new Worker(workerUrl("live.js"), options).addEventListener("message", receive);
    return;
  }
  const { port } = new SharedWorker(workerUrl("live.js"), options);
  port.addEventListener("message", receive);
  port.start();
  addEventListener("pagehide", (event) => !event.persisted && port.postMessage("close"));
}

/** useLiveBlocks returns the newest blocks, newest first, and follows them. It is empty until the first arrive. */
export function useLiveBlocks(): readonly LiveBlock[] {
  const [blocks, setBlocks] = useState(known);
  useEffect(() => {
    listeners.add(setBlocks);
    if (!started) start();
    setBlocks(known);
    return () => {
      listeners.delete(setBlocks);
    };
  }, []);
  return blocks;
}
