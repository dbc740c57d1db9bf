import { AccountLink, Ago, Badge, Empty, Hash, More, Rows } from "../components/index.js";
import { useShared } from "../context.js";
import { count, gitId, hex, visible } from "../format.js";
import { Heading } from "../heading.js";
import { byCursor, usePages } from "../load.js";
import { shortRef } from "../message.js";
import { defaultBranch, type ProjectViewProps } from "../project.js";
import { href, navigate } from "../route.js";

/** How many refs can be chosen from, and how many changes are read at a time. */
const maxChoices = 500;
const pageSize = 50;

/** RefLog lists the changes of a ref, newest first. They come from an index: the node's word. */
export default function RefLog({ project, base, route }: ProjectViewProps) {
  const { refs } = project.value;
  const ref = route.query.get("ref") ?? defaultBranch(project.value)?.name ?? "";
  if (ref === "") {
    return (
      <>
        <Heading level={2} title="Ref log" />
        <Empty title="This project has no refs." />
      </>
    );
  }
  return (
    <>
      <div class="title-row">
        <Heading level={2} title={`Log of ${shortRef(ref)}`} />
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Ref{" "}
          <select value={ref} onChange={(event) => navigate([...base, "log"], { ref: event.currentTarget.value })}>
            {!refs.some((entry) => entry.name === ref) && <option value={ref}>{visible(ref)}</option>}
            {refs.slice(0, maxChoices).map((entry) => (
              <option key={entry.name} value={entry.name}>
                {visible(entry.name)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Log key={ref} id={project.value.id} base={base} name={ref} />
    </>
  );
}

function Log({ id, base, name }: { readonly id: Uint8Array; readonly base: readonly string[]; readonly name: string }) {
  const { client } = useShared();
  const refName = new TextEncoder().encode(name);
  const log = usePages(`log ${hex(id)} ${name}`, (signal) =>
    byCursor(async (cursor) => {
      const page = await client.calls.getRefLog({ projectId: id, refName, limit: pageSize, cursor }, { signal });
      return { items: page.entries, nextCursor: page.nextCursor };
    }),
  );
  const commit = (hash: Uint8Array) => (hash.every((byte) => byte === 0) ? <span class="muted">none</span> : <Hash of={gitId(hash)} href={href([...base, "commit", gitId(hash)])} copy={false} />);
  return (
    <section class="panel" aria-labelledby="changes">
      <div class="panel-head">
        <h3 id="changes">Changes</h3>
        <Badge of={log.loaded} />
      </div>
      <div class="panel-body">
        {log.items.length === 0 && log.loaded.status === "claimed" && <p class="muted">The node has no changes of this ref.</p>}
        {log.items.length > 0 && (
          <Rows caption={`Changes of ${name}, newest first`} columns={["From", "To", "By", ["Block", "number"], ["Time", "number"]]}>
            {log.items.map((entry) => (
              <tr key={`${entry.blockNumber} ${entry.nonce}`}>
                <td>{commit(entry.oldHash)}</td>
                <td>
                  {commit(entry.newHash)} {entry.force && <span class="tag tag-warn">forced</span>}
                </td>
                <td>
                  <AccountLink address={entry.ownerAddress} />
                </td>
                <td class="number">
                  <a href={href(["block", String(entry.blockNumber)])}>{count(entry.blockNumber)}</a>
                </td>
                <td class="number muted">
                  <Ago time={entry.timestamp} />
                </td>
              </tr>
            ))}
          </Rows>
        )}
        <More of={log} />
      </div>
    </section>
  );
}
