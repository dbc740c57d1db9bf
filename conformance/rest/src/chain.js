// Submits messages to a chain and reads them back.

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

// claim requests storage for a new account from the faucet, which submits a message, and returns the message's hash.
export async function claim(url) {
  const response = await fetch(`${url}/makechain.dev.FaucetService/Claim`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ownerAddress: randomBytes(20).toString("base64"), units: 1 }),
  });
  if (!response.ok) throw new Error(`claim: ${response.status} ${await response.text()}`);
  return Buffer.from((await response.json()).hash, "base64").toString("hex");
}

// claimSteadily makes claims until it is stopped, and then returns their hashes. Claims that fail while a node restarts are
// not counted.
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

// latestBlock returns the number of the latest block.
export async function latestBlock(url) {
  const status = await (await fetch(`${url}/v1/node/status`)).json();
  return BigInt(status.current_block);
}

// messagesSince returns the messages after a block, by reading every block.
export async function messagesSince(url, block) {
  const messages = [];
  for (let number = block + 1n; number <= (await latestBlock(url)); number++) {
    const response = await fetch(`${url}/v1/messages?start_block=${number}&end_block=${number}&limit=200`);
    if (!response.ok) throw new Error(`block ${number}: ${response.status} ${await response.text()}`);
    messages.push(...(await response.json()).messages);
  }
  return messages;
}
