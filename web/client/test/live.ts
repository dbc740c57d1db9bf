// Tests with a real node, of a development chain with a faucet. They run in Node and in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesEqual, Client, custodyWindow, ed25519Signer, hex, KeyScope, LinkType, type Memory, type MessageInit, Network, p256Custody, ProofError, RefusedError,
  RollbackError, rows, secp256k1Custody, signCustody, type Signer, signMessage,
} from "../src/index.js";

const random = () => crypto.getRandomValues(new Uint8Array(32));

/** Account is an account with its root, its signer and a project. */
interface Account {
  readonly owner: Uint8Array;
  readonly name: string;
  readonly secret: Uint8Array;
  readonly signer: Signer;
  readonly project: Uint8Array;
  readonly commit: Uint8Array;
}

/** commit signs and submits a message and waits until it is committed. */
async function commit(client: Client, signer: Signer, init: MessageInit): Promise<{ hash: Uint8Array; block: bigint }> {
  const hash = await client.submit(await signMessage({ network: Network.DEVNET, ...init }, signer));
  return { hash, block: await client.awaitCommitted(hash) };
}

/** createAccount creates an account whose root is a wallet, with a key, storage, a username, a project and a branch. */
export async function createAccount(client: Client): Promise<Account> {
  const root = secp256k1Custody(random());
  const owner = root.keyId;
  const secret = random();
  const signer = ed25519Signer(secret);
  const value = { key: signer.publicKey, scope: KeyScope.OWNER, nonce: 0n, requestOwnerAddress: owner, ...custodyWindow() };
  await commit(client, signer, await signCustody({ network: Network.DEVNET, ownerAddress: owner, body: { case: "signerAdd", value } }, root));
  await client.awaitCommitted((await client.faucet.claim({ ownerAddress: owner })).hash);
  const name = `u${hex(owner).slice(0, 16)}`;
  await commit(client, signer, { ownerAddress: owner, body: { case: "usernameCreate", value: { username: name } } });
  const { hash: project } = await commit(client, signer, { ownerAddress: owner, body: { case: "projectCreate", value: { name: "hello" } } });
  const made = random();
  const commits = [{ hash: made, treeRoot: random(), authorTimestamp: 1_700_000_000, title: "first", messageHash: random(), authorAddress: owner }];
  await commit(client, signer, { ownerAddress: owner, body: { case: "commitBundle", value: { projectId: project, commits } } });
  const refName = new TextEncoder().encode("refs/heads/main");
  await commit(client, signer, { ownerAddress: owner, body: { case: "refUpdate", value: { projectId: project, refName, newHash: made, nonce: 1n } } });
  return { owner, name, secret, signer, project, commit: made };
}

/** liveTests declares the tests with the node at a URL. */
export function liveTests(url: string): void {
  let account: Promise<Account> | undefined;
  const client = new Client(url);
  const shared = () => (account ??= createAccount(client));

  test("what an account writes is read with proofs", async () => {
    const { owner, name, project, commit: made } = await shared();
    assert.deepEqual((await client.resolveAccount(name)).value, owner);
    assert.deepEqual((await client.resolveProject(`${name}/hello`)).value, project);
    const ref = await client.row(rows.ref, project, "refs/heads/main");
    assert.deepEqual(ref.value?.hash, made);
    assert.deepEqual(ref.evidence.steps.map((step) => step.name), ["header", "validators", "signatures", "root", "key", "path"]);
    const state = await client.project(project);
    assert.deepEqual(state.value.refs.map((entry) => entry.name), ["refs/heads/main"]);
    assert.deepEqual(state.value.row?.ownerAddress, owner);
    assert.equal((await client.row(rows.commit, project, made)).value?.title, "first");
    assert.equal((await client.quota(owner)).value.usableStorageUnits, 1);
    assert.equal((await client.certify()).value.validators.length, 1);
  });

  test("absence and lists are proven", async () => {
    const { owner, project } = await shared();
    assert.equal((await client.row(rows.ref, project, "refs/heads/none")).value, undefined);
    assert.equal((await client.project(random())).value.row, undefined);
    await assert.rejects(client.resolveAccount("nobody-has-this"), { name: "NotFoundError" });
    const keys = [];
    for await (const page of client.rows(rows.key, owner)) keys.push(...page.value);
    assert.equal(keys.length, 1);
    for await (const page of client.contents(project)) assert.deepEqual(page.value, []);
  });

  test("a refusal has its stage and code", async () => {
    const { owner, signer, project } = await shared();
    const value = { linkType: LinkType.STAR, target: { case: "targetProjectId", value: project } } as const;
    await commit(client, signer, { ownerAddress: owner, body: { case: "linkAdd", value } });
    assert.notEqual((await client.row(rows.star, owner, project)).value, undefined);
    const follow = { linkType: LinkType.FOLLOW, target: { case: "targetOwnerAddress", value: random().subarray(12) } } as const;
    await assert.rejects(commit(client, ed25519Signer(random()), { ownerAddress: owner, body: { case: "linkAdd", value: follow } }), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.deepEqual([error.stage, error.code], ["authorization", "unknown_signer"]);
      return true;
    });
  });

  test("a custody key of P-256 is authorized by the root", async () => {
    const root = secp256k1Custody(random());
    const second = p256Custody(random());
    const value = { keyId: second.keyId, signatureType: second.type, publicKey: second.publicKey, admin: true, nonce: 0n, ...custodyWindow() };
    const init = await signCustody({ network: Network.DEVNET, ownerAddress: root.keyId, body: { case: "keychainAuthorize", value } }, root);
    await commit(client, ed25519Signer(random()), init);
    assert.deepEqual((await client.row(rows.custodyKey, root.keyId, second.keyId)).value?.publicKey, second.publicKey);
  });

  test("streams resume where they broke", async () => {
    const { owner, project } = await shared();
    let broken = 0;
    const breaking = new Client(url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).includes("Subscribe") || response.body === null || broken >= 3) return response;
        broken++;
        return new Response(response.body.pipeThrough(new TransformStream({
          transform(chunk, controller) {
            controller.enqueue(chunk);
            controller.error(new TypeError("the connection broke"));
          },
        })), response);
      },
    });
    const seen = new Set<string>();
    const abort = new AbortController();
    for await (const message of breaking.messages({ ownerAddress: owner }, { startBlock: 1n, signal: abort.signal })) {
      const position = `${message.blockNumber}/${message.index}`;
      assert.ok(!seen.has(position), `${position} was sent twice`);
      seen.add(position);
      if (bytesEqual(message.hash, project)) break;
    }
    for await (const block of breaking.blocks({ startBlock: 1n })) {
      assert.equal(block.block?.header?.height?.blockNumber, 1n);
      break;
    }
    abort.abort();
  });

  test("an answer with a changed byte is refused with a named step", async () => {
    const { project } = await shared();
    const lying = new Client(url, {
      trust: await client.trusted(),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).includes("GetOperationProof")) return response;
        const body = new Uint8Array(await response.arrayBuffer());
        const at = body.length - 12; // in the value of the row, which is after the proof
        body[at] = (body[at] ?? 0) ^ 1;
        return new Response(body, response);
      },
    });
    await assert.rejects(lying.row(rows.ref, project, "refs/heads/main"), (error) => {
      assert.ok(error instanceof ProofError, String(error));
      assert.ok(error.passed.some((step) => step.name === "signatures"), "the steps before are missing");
      return true;
    });
  });

  test("another chain and a state before the highest known block are refused", async () => {
    const trust = await client.trusted();
    const other = new Client(url, { trust: { ...trust, chainId: "makechain-other" } });
    await assert.rejects(other.certify(), { step: "chain" });
    const stored = new Map<string, string>();
    const memory: Memory = { getItem: (name) => stored.get(name) ?? null, setItem: (name, value) => void stored.set(name, value) };
    await new Client(url, { memory }).certify();
    assert.equal(stored.size, 2);
    const first = new Client(url, { memory });
    const known = await first.certify();
    stored.set(`makechain:highest:${trust.chainId}`, `${known.value.block}`); // as another client with the same memory does
    assert.notEqual((await first.row(rows.account, (await shared()).owner)).value, undefined);
    stored.set(`makechain:highest:${trust.chainId}`, "1000000000");
    await assert.rejects(new Client(url, { memory, rollbackTimeout: 0 }).certify(), RollbackError);
  });
}
