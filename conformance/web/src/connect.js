// Checks @connectrpc/connect-web with both of its protocols.

import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";

import { FaucetService } from "../gen/makechain/dev/faucet_pb.js";
import { MakechainService } from "../gen/makechain/service_pb.js";
import { newOwner } from "./owner.js";
import { deepEqual, equal, ok, rejects } from "./report.js";

export async function checkConnect(report, url) {
  const transports = {
    "connect-web by Connect": createConnectTransport({ baseUrl: url, useBinaryFormat: true }),
    "connect-web by Connect and JSON": createConnectTransport({ baseUrl: url }),
    "connect-web by gRPC-web": createGrpcWebTransport({ baseUrl: url }),
  };
  for (const [name, transport] of Object.entries(transports)) {
    const client = createClient(MakechainService, transport);
    const faucet = createClient(FaucetService, transport);
    await report.check(`${name}: unary`, () => unary(client));
    await report.check(`${name}: refused`, () => refused(client));
    await report.check(`${name}: streamed live`, () => live(client, faucet));
    await report.check(`${name}: streamed from the start`, () => blocks(client));
  }
}

async function unary(client) {
  const status = await client.getNodeStatus({});
  ok(status.chainId.startsWith("makechain-devnet-"), status.chainId);
  equal(status.validatorPublicKey.length, 32);
}

async function refused(client) {
  await rejects(client.getProject({ projectId: new Uint8Array(31) }), (reason) => {
    equal(reason.code, Code.InvalidArgument);
    ok(reason.rawMessage.startsWith("project_id"), reason.rawMessage);
    return true;
  });
}

// blocks reads the first two blocks and checks that the second refers to the first.
async function blocks(client) {
  const read = [];
  for await (const { block } of client.subscribeBlocks({ startBlock: 1n })) {
    read.push(block);
    if (read.length === 2) break;
  }
  equal(read[0].header.height.blockNumber, 1n);
  deepEqual(read[1].header.parentHash, read[0].hash);
}

// live requests storage from the faucet and waits until the stream delivers the claim.
async function live(client, faucet) {
  const ownerAddress = newOwner();
  const done = new AbortController();
  const messages = client.subscribeMessages({ ownerAddress, startBlock: 1n }, { signal: done.signal })[Symbol.asyncIterator]();
  const first = messages.next();
  const { hash } = await faucet.claim({ ownerAddress });
  const { value } = await first;
  deepEqual(value.hash, hash);
  ok(value.blockNumber > 0n);
  done.abort();
  await rejects(messages.next());
}
