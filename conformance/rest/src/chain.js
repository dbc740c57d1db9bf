// Something that happens on a chain, and what there is of it afterwards.

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

// claim has the faucet give storage to an account that nobody has, which is a message, and returns its hash.
export async function claim(url) {
  const answer = await fetch(`${url}/makechain.dev.FaucetService/Claim`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ownerAddress: randomBytes(20).toString("base64"), units: 1 }),
  });
  if (!answer.ok) throw new Error(`claim: ${answer.status} ${await answer.text()}`);
  return Buffer.from((await answer.json()).hash, "base64").toString("hex");
}

// claimSteadily makes claims until it is stopped, and returns their hashes then. A claim that fails while a node restarts
// is no claim.
export function claimSteadily(url) {
  const hashes = [];
  let isRunning = true;
  const running = (async () => {
    while (isRunning) {
      await claim(url()).then((hash) => hashes.push(hash), () => pause(100));
      await pause(10);
    }
  })();
  return {
    count: () => hashes.length,
    stop: async () => {
      isRunning = false;
      await running;
      return hashes;
    },
  };
}

// latestBlock is the number of the latest block.
export async function latestBlock(url) {
  const status = await (await fetch(`${url}/v1/node/status`)).json();
  return BigInt(status.current_block);
}

// messagesSince lists the messages behind a block, by reading every block.
export async function messagesSince(url, block) {
  const messages = [];
  for (let number = block + 1n; number <= (await latestBlock(url)); number++) {
    const answer = await fetch(`${url}/v1/messages?start_block=${number}&end_block=${number}&limit=200`);
    if (!answer.ok) throw new Error(`block ${number}: ${answer.status} ${await answer.text()}`);
    messages.push(...(await answer.json()).messages);
  }
  return messages;
}
