import type { ComponentChildren } from "preact";
import type { ViewProps } from "../app.js";
import { Badge, ErrorMessage, Hash, Skeleton } from "../components/index.js";
import { useShared } from "../context.js";
import { count, duration, size, words } from "../format.js";
import { Heading } from "../heading.js";
import { type Loaded, useClaimed } from "../load.js";
import { typeLabel } from "../message.js";
import { CallError, NetworkSchema, ReplayVerificationStatusSchema } from "makechain";

type Facts = readonly (readonly [string, ComponentChildren])[];

/** Node shows what the node reports about itself. All of it is its word. */
export default function Node(_: ViewProps) {
  const { client, page } = useShared();
  const status = useClaimed("node status", (signal) => client.calls.getNodeStatus({}, { signal }));
  const stats = useClaimed("node stats", (signal) => client.calls.getChainStats({}, { signal }));
  const mempool = useClaimed("node mempool", (signal) => client.calls.getMempoolInfo({}, { signal }));
  const snapshot = useClaimed("node snapshot", (signal) => client.calls.getSnapshotInfo({}, { signal }));
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title="Node" />
        <code class="muted">{page.node}</code>
      </div>
      <div class="columns">
        <Panel title="Status" of={status} lines={9}>
          {(value) => [
            ["Chain", value.chainId],
            ["Network", words(NetworkSchema.value[value.network]?.localName ?? String(value.network))],
            ["Block", count(value.currentBlock)],
            ["State", value.catchingUp ? "catching up" : "up to date"],
            ["Peers", count(value.peerCount)],
            ["Version", value.version],
            ["Running for", duration(Number(value.uptimeSecs))],
            ["State verified", words(ReplayVerificationStatusSchema.value[value.replayVerification?.status ?? 0]?.localName ?? "")],
            ["Validator key", value.validatorPublicKey.length === 0 ? "none: not a validator" : <Hash of={value.validatorPublicKey} length={16} />],
          ]}
        </Panel>
        <Panel title="Totals" of={stats} lines={9}>
          {(value) => [
            ["Messages", count(value.totalMessages)],
            ["Projects", count(value.totalProjects)],
            ["Accounts", count(value.totalAccounts)],
            ["Refs", count(value.totalRefs)],
            ["Commits", count(value.totalCommits)],
            ["Collaborators", count(value.totalCollaborators)],
            ["Keys", count(value.totalKeys)],
            ["Links", count(value.totalLinks)],
            ["Rows of the state", count(value.stateEntries)],
          ]}
        </Panel>
        <Panel title="Mempool" of={mempool} lines={4}>
          {(value) => [
            ["Messages", `${count(value.total)} of ${count(value.capacity)}`],
            ["Of accounts", count(value.accountMessages)],
            ["Of projects", count(value.projectMessages)],
            ...value.typeBreakdown.map((entry) => [typeLabel(entry.messageType), count(entry.count)] as const),
          ]}
        </Panel>
        <Panel title="State" of={snapshot} lines={4}>
          {(value) => [
            ["Block", count(value.blockNumber)],
            ["Root", <Hash of={value.stateRoot} length={16} />],
            ["Rows", count(value.entryCount)],
            ["Size", size(Number(value.estimatedSizeBytes))],
          ]}
        </Panel>
      </div>
    </div>
  );
}

interface PanelProps<T> {
  readonly title: string;
  readonly of: Loaded<T>;
  readonly lines: number;
  readonly children: (value: T) => Facts;
}

function Panel<T>({ title, of: loaded, lines, children }: PanelProps<T>) {
  const id = title.toLowerCase();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        <Badge of={loaded} />
      </div>
      <div class="panel-body">
        {loaded.status === "verifying" && <Skeleton lines={lines} />}
        {loaded.status === "failed" && (loaded.error instanceof CallError && loaded.error.code === "not_found" ? <p class="muted">There is none yet.</p> : <ErrorMessage error={loaded.error} />)}
        {loaded.status === "claimed" && (
          <dl class="facts">
            {children(loaded.value).map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}
