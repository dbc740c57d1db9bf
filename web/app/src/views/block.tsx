import type { GetBlockResponse, Message, Root } from "makechain";
import type { ViewProps } from "../app.js";
import { Ago, Badge, CopyButton, Empty, ErrorMessage, Hash, Skeleton } from "../components/index.js";
import { MessageTable } from "../components/messages.js";
import { useShared } from "../context.js";
import { count, hex, plural } from "../format.js";
import { Heading } from "../heading.js";
import { type Loaded, useClaimed, useProven } from "../load.js";
import { href } from "../route.js";
import { useState } from "preact/hooks";

/** Messages that are shown at a time: a block can have thousands. */
const pageSize = 100;

/** Block shows a block: its header, verified up to the validators' signatures, and its messages. */
export default function Block({ route }: ViewProps) {
  const text = route.path[0] ?? "";
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    return (
      <>
        <Heading title="Block" />
        <Empty title="This is not the number of a block.">
          <a href="#/blocks">All blocks</a>
        </Empty>
      </>
    );
  }
  return <Numbered key={text} number={BigInt(text)} />;
}

function Numbered({ number }: { readonly number: bigint }) {
  const { client } = useShared();
  const block = useClaimed(`block ${number}`, (signal) => client.calls.getBlock({ blockNumber: number }, { signal }));
  // The root after the block before it is certified by the header of this block.
  const header = useProven(`header ${number}`, () => client.certify(number - 1n));
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title={`Block ${count(number)}`} />
        <span class="pair">
          {number > 1n && (
            <a class="button" href={href(["block", String(number - 1n)])}>
              Previous
            </a>
          )}
          <a class="button" href={href(["block", String(number + 1n)])}>
            Next
          </a>
        </span>
      </div>
      <section class="panel" aria-labelledby="header">
        <div class="panel-head">
          <h2 id="header">Header</h2>
          <Badge of={header} />
        </div>
        <div class="panel-body">
          <Header number={number} of={header} />
        </div>
      </section>
      <section class="panel" aria-labelledby="messages">
        <div class="panel-head">
          <h2 id="messages">Messages</h2>
          <Badge of={block} />
        </div>
        <div class="panel-body">
          {block.status === "verifying" && <Skeleton lines={4} />}
          {block.status === "failed" && <ErrorMessage error={block.error} />}
          {block.status === "claimed" && <Messages block={block.value} number={number} />}
        </div>
      </section>
    </div>
  );
}

function Header({ number, of: loaded }: { readonly number: bigint; readonly of: Loaded<Root> }) {
  if (loaded.status === "invalid" || loaded.status === "failed") return <ErrorMessage error={loaded.error} />;
  if (loaded.status !== "proven") return <Skeleton lines={9} />;
  const { header, headerHash } = loaded.value;
  if (header.height !== number) return <p>The header of this block is not certified yet: the chain is waiting for messages.</p>;
  const fields: readonly (readonly [string, Uint8Array])[] = [
    ["Hash", headerHash],
    ["Previous block", header.lastBlockId.hash],
    ["State root before", header.appHash],
    ["Transactions", header.dataHash],
    ["Validators", header.validatorsHash],
    ["Next validators", header.nextValidatorsHash],
    ["Proposer", header.proposerAddress],
  ];
  return (
    <dl class="facts">
      <dt>Time</dt>
      <dd>
        <Ago time={header.time.seconds} />
      </dd>
      <dt>Chain</dt>
      <dd>{header.chainId}</dd>
      {fields.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>
            <code>{hex(value)}</code> <CopyButton text={hex(value)} label={`Copy: ${name}`} />
          </dd>
        </>
      ))}
    </dl>
  );
}

function Messages({ block, number }: { readonly block: GetBlockResponse; readonly number: bigint }) {
  const [shown, setShown] = useState(pageSize);
  const payload = block.executionPayload;
  const messages: readonly Message[] = [...(payload?.accountMessages ?? []), ...(payload?.projectMessages ?? []).flatMap((group) => group.messages)].sort((a, b) => a.index - b.index);
  if (messages.length === 0) return <p class="muted">The block has no messages.</p>;
  return (
    <>
      <p class="muted small">
        {plural(messages.length, "message")}, digest <Hash of={payload?.digest ?? new Uint8Array()} />
      </p>
      <MessageTable caption="Messages of the block" rows={messages.slice(0, shown).map((message) => ({ message, block: number }))} />
      {shown < messages.length && (
        <div class="more">
          <button type="button" onClick={() => setShown(shown + pageSize)}>
            Show more
          </button>
        </div>
      )}
    </>
  );
}
