// Checks the original grpc-web. It has its own transport; messages are encoded by protobuf-es.

import { createRequire } from "node:module";

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import { FaucetService } from "../gen/makechain/dev/faucet_pb.js";
import { MakechainService } from "../gen/makechain/service_pb.js";
import { newOwner } from "./owner.js";
import { deepEqual, equal, ok } from "./report.js";
import { XMLHttpRequest } from "./xhr.js";

globalThis.XMLHttpRequest = XMLHttpRequest; // as in a browser
const grpcWeb = createRequire(import.meta.url)("grpc-web");

const invalidArgument = 3;

export async function checkOriginal(report, url) {
  for (const format of ["text", "binary"]) {
    const client = new Client(url, format);
    await report.check(`grpc-web in ${format}: unary`, () => unary(client));
    await report.check(`grpc-web in ${format}: refused`, () => refused(client));
  }
  // This client receives binary data only at the end of a stream.
  const client = new Client(url, "text");
  await report.check("grpc-web in text: streamed live", () => live(client));
  await report.check("grpc-web in text: streamed from the start", () => blocks(client));
}

class Client {
  #base;
  #url;

  constructor(url, format) {
    this.#url = url;
    this.#base = new grpcWeb.GrpcWebClientBase({ format });
  }

  call(method, request) {
    return this.#base.unaryCall(...this.#arguments(method, request, grpcWeb.MethodType.UNARY));
  }

  stream(method, request) {
    return this.#base.serverStreaming(...this.#arguments(method, request, grpcWeb.MethodType.SERVER_STREAMING));
  }

  #arguments(method, request, type) {
    const path = `/${method.parent.typeName}/${method.name}`;
    const descriptor = new grpcWeb.MethodDescriptor(
      path, type, Object, Object, (message) => toBinary(method.input, message), (bytes) => fromBinary(method.output, bytes),
    );
    return [this.#url + path, create(method.input, request), {}, descriptor];
  }
}

async function unary(client) {
  const status = await client.call(MakechainService.method.getNodeStatus, {});
  ok(status.chainId.startsWith("makechain-devnet-"), status.chainId);
}

async function refused(client) {
  const reason = await client.call(MakechainService.method.getProject, { projectId: new Uint8Array(31) }).then(
    () => ok(false, "answered a malformed id"),
    (failure) => failure,
  );
  equal(reason.code, invalidArgument);
  ok(reason.message.startsWith("project_id"), reason.message);
}

// take reads count messages of a stream and cancels it.
function take(stream, count) {
  return new Promise((resolve, reject) => {
    const read = [];
    stream.on("error", reject);
    stream.on("data", (message) => {
      read.push(message);
      if (read.length < count) return;
      stream.cancel();
      resolve(read);
    });
  });
}

// blocks reads the first two blocks and checks that the second refers to the first.
async function blocks(client) {
  const [first, second] = await take(client.stream(MakechainService.method.subscribeBlocks, { startBlock: 1n }), 2);
  equal(first.block.header.height.blockNumber, 1n);
  deepEqual(second.block.header.parentHash, first.block.hash);
}

// live requests storage from the faucet and waits until the stream delivers the claim.
async function live(client) {
  const ownerAddress = newOwner();
  const messages = take(client.stream(MakechainService.method.subscribeMessages, { ownerAddress, startBlock: 1n }), 1);
  const { hash } = await client.call(FaucetService.method.claim, { ownerAddress });
  const [message] = await messages;
  deepEqual(message.hash, hash);
  ok(message.blockNumber > 0n);
}
