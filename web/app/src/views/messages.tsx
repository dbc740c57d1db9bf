import type { ViewProps } from "../app.js";
import { Badge, Empty, ErrorMessage, More, Skeleton } from "../components/index.js";
import { MessageTable } from "../components/messages.js";
import { useShared } from "../context.js";
import { count } from "../format.js";
import { Heading } from "../heading.js";
import { useClaimed, usePages } from "../load.js";
import { messageTypes } from "../message.js";
import { newestMessages } from "../newest.js";
import { navigate } from "../route.js";

/** Messages lists the messages up to a block, newest first, filtered by type. */
export default function Messages({ route }: ViewProps) {
  const { client } = useShared();
  const status = useClaimed("messages status", (signal) => client.calls.getNodeStatus({}, { signal }));
  const type = messageTypes.find(([, label]) => label === route.query.get("type"));
  const given = route.query.get("to") ?? "";
  const to = /^[1-9][0-9]{0,14}$/.test(given) ? BigInt(given) : status.status === "claimed" ? status.value.currentBlock : undefined;
  return (
    <div class="stack">
      <div class="title-row">
        <Heading title="Messages" />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Type{" "}
          <select
            value={type?.[1] ?? ""}
            onChange={(event) => navigate(["messages"], { ...(event.currentTarget.value === "" ? {} : { type: event.currentTarget.value }), ...(given === "" ? {} : { to: given }) })}
          >
            <option value="">All types</option>
            {messageTypes.map(([, label]) => (
              <option key={label} value={label}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </form>
      {status.status === "failed" && <ErrorMessage error={status.error} />}
      {to === undefined ? <Skeleton lines={10} /> : <Range key={`${to} ${type?.[0] ?? 0}`} to={to} type={type} />}
    </div>
  );
}

function Range({ to, type }: { readonly to: bigint; readonly type: (typeof messageTypes)[number] | undefined }) {
  const { client } = useShared();
  const pages = usePages(`messages ${to} ${type?.[0] ?? 0}`, (signal) => newestMessages(client, to, type?.[0], signal));
  const last = pages.items.at(-1);
  return (
    <>
      <p class="muted">
        Up to block {count(to)}, newest first <Badge of={pages.loaded} />
      </p>
      {last !== undefined && <MessageTable caption={`Messages up to block ${to}`} rows={pages.items} />}
      {last === undefined && pages.loaded.status === "claimed" && <Empty title={pages.more ? "There are no such messages in the newest blocks." : "There are no such messages."} />}
      <More of={pages} />
    </>
  );
}
