// A worker that reads the stream of blocks once for all tabs. It keeps the newest blocks, so that a new tab has them at once.
import { type LiveBlock, summarize } from "./live-block.js";

/** How many blocks are kept, and how many are read at the start. */
const kept = 120;
const readFirst = 40;

interface Port {
  postMessage(blocks: readonly LiveBlock[]): void;
}

const ports = new Set<Port>();
let blocks: readonly LiveBlock[] = [];

/** add keeps the newest blocks, newest first, each once, and sends those that are new to all tabs. */
function add(arrived: readonly LiveBlock[]): void {
  const known = new Set(blocks.map((block) => block.number));
  const added = arrived.filter((block) => !known.has(block.number));
  if (added.length === 0) return;
  blocks = [...added, ...blocks].sort((a, b) => b.number - a.number).slice(0, kept);
  for (const port of ports) port.postMessage(added);
}

async function readNewest(): Promise<void> {
  const response = await fetch(`v1/blocks?limit=${readFirst}`);
  if (!response.ok) return;
  const page = (await response.json()) as { blocks?: unknown[] };
  add((page.blocks ?? []).map(summarize));
}

/** follow reads the stream of blocks. The browser connects again, and continues after the last block that it received. */
function follow(): void {
  const source = new EventSource("v1/stream/blocks");
  source.addEventListener("open", () => void readNewest().catch(() => undefined));
  source.addEventListener("block", (event: MessageEvent<string>) => add([summarize(JSON.parse(event.data))]));
  // A stream that ended for good (its position is no longer available) starts again with the newest blocks.
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(follow, 3000);
  });
}

function connect(port: Port): void {
  ports.add(port);
  if (blocks.length > 0) port.postMessage(blocks);
}

if ("onconnect" in self) {
  self.addEventListener("connect", (event) => {
    const [port] = (event as MessageEvent).ports;
    if (port === undefined) return;
    port.addEventListener("message", () => ports.delete(port)); // a tab says that it closes
    port.start();
    connect(port);
  });
} else {
  connect(self as unknown as Port); // a worker of one tab, where there are no shared ones
}
follow();
