import { type Message as SignedMessage, MessageState, NetworkSchema, readMessage } from "makechain";
import type { ViewProps } from "../app.js";
import { AccountLink, Ago, Badge, CopyButton, Empty, ErrorMessage, ProjectLink, Skeleton } from "../components/index.js";
import { Fields } from "../components/fields.js";
import { useShared } from "../context.js";
import { count, parseHex, hex, words } from "../format.js";
import { Heading } from "../heading.js";
import { type Loaded, useClaimed, useProven } from "../load.js";
import { bodyField, projectOf, typeLabel } from "../message.js";
import { href } from "../route.js";

/** Message shows a message: what it is, all its fields, what became of it, and the proof that its block contains it. */
export default function Message({ route }: ViewProps) {
  const text = (route.path[0] ?? "").toLowerCase();
  const hash = parseHex(text);
  if (hash?.length !== 32) {
    return (
      <>
        <Heading title="Message" />
        <Empty title="This is not the hash of a message: it has 64 hex digits.">
          <a href="#/messages">All messages</a>
        </Empty>
      </>
    );
  }
  return <Hashed key={text} hash={hash} />;
}

function Hashed({ hash }: { readonly hash: Uint8Array }) {
  const { client } = useShared();
  const text = hex(hash);
  const found = useProven(`message ${text}`, () => readMessage(client, hash));
  const status = useClaimed(`status ${text}`, (signal) => client.calls.getMessageStatus({ hash }, { signal }));
  const message = found.status === "proven" ? found.value.message : undefined;
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title={`Message ${text.slice(0, 8)}`}>
          {message?.data === undefined ? "Message" : <span class="first-letter">{typeLabel(message.data.type)}</span>} <code class="muted">{text.slice(0, 8)}</code>
        </Heading>
        <CopyButton text={text} label="Copy the hash" />
      </div>
      <section class="panel" aria-labelledby="status">
        <div class="panel-head">
          <h2 id="status">Status</h2>
          <Badge of={status} />
        </div>
        <div class="panel-body">
          <Status of={status} />
        </div>
      </section>
      <section class="panel" aria-labelledby="signed">
        <div class="panel-head">
          <h2 id="signed">What was signed</h2>
          <Badge of={found} />
        </div>
        <div class="panel-body">
          {found.status === "verifying" && <Skeleton lines={10} />}
          {(found.status === "failed" || found.status === "invalid") && <ErrorMessage error={found.error} />}
          {message !== undefined && <Signed message={message} />}
        </div>
      </section>
    </div>
  );
}

const states = { [MessageState.UNKNOWN]: "unknown", [MessageState.PENDING]: "pending", [MessageState.COMMITTED]: "committed", [MessageState.REFUSED]: "refused", [MessageState.EXPIRED]: "expired" } as const;

function Status({ of: loaded }: { readonly of: Loaded<{ state: MessageState; blockNumber: bigint; index: number; stage: string; code: string; error: string; seenAt: bigint }> }) {
  if (loaded.status === "failed" || loaded.status === "invalid") return <ErrorMessage error={loaded.error} />;
  if (loaded.status === "verifying") return <Skeleton lines={3} />;
  const { state, blockNumber, index, stage, code, error, seenAt } = loaded.value;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>{states[state]}</dd>
      {blockNumber > 0n && (
        <>
          <dt>Block</dt>
          <dd>
            <a href={href(["block", String(blockNumber)])}>{count(blockNumber)}</a>, position {count(index)}
          </dd>
        </>
      )}
      {seenAt > 0n && (
        <>
          <dt>Seen</dt>
          <dd>
            <Ago time={seenAt} />
          </dd>
        </>
      )}
      {code !== "" && (
        <>
          <dt>Refused</dt>
          <dd>
            {stage}: <code>{code}</code>, {error}
          </dd>
        </>
      )}
    </dl>
  );
}

function Signed({ message }: { readonly message: SignedMessage }) {
  const { data } = message;
  const body = bodyField(message);
  const project = projectOf(message);
  if (data === undefined) return <p>The message has no data.</p>;
  return (
    <div class="stack">
      <dl class="facts">
        <dt>Type</dt>
        <dd>{typeLabel(data.type)}</dd>
        <dt>Account</dt>
        <dd>
          <AccountLink address={data.ownerAddress} />
        </dd>
        {project !== undefined && (
          <>
            <dt>Project</dt>
            <dd>
              <ProjectLink id={project} />
            </dd>
          </>
        )}
        <dt>Time</dt>
        <dd>
          <Ago time={data.timestamp} />
        </dd>
        <dt>Network</dt>
        <dd>{words(NetworkSchema.value[data.network]?.localName ?? String(data.network))}</dd>
        <Bytes name="Hash" value={message.hash} />
        <Bytes name="Signer" value={message.signer} />
        <Bytes name="Signature" value={message.signature} />
      </dl>
      {body?.message !== undefined && (
        <section aria-labelledby="body">
          <h3 id="body">Body</h3>
          <Fields of={data.body.value ?? {}} type={body.message} project={project} />
        </section>
      )}
    </div>
  );
}

function Bytes({ name, value }: { readonly name: string; readonly value: Uint8Array }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{hex(value)}</code> <CopyButton text={hex(value)} label={`Copy: ${name}`} />
      </dd>
    </>
  );
}
