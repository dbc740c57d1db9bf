// Tables of messages.
import type { Message } from "makechain";
import { hex, visible } from "../format.js";
import { detail, projectOf, typeLabel } from "../message.js";
import { href } from "../route.js";
import { AccountLink, Hash, ProjectLink } from "./ids.js";
import { Rows } from "./table.js";
import { Ago } from "./time.js";

interface Row {
  readonly message: Message;
  readonly block: bigint;
}

/** MessageTable lists messages: what they are, whose, about what, and when. */
export function MessageTable({ rows, caption, showAccount = true }: { readonly rows: readonly Row[]; readonly caption: string; readonly showAccount?: boolean }) {
  return (
    <Rows caption={caption} columns={["Message", "Type", ...(showAccount ? ["Account"] : []), "About", ["Block", "number"], ["Time", "number"]]} class="messages">
      {rows.map(({ message, block }) => (
        <MessageRow key={`${block}/${message.index}`} message={message} block={block} showAccount={showAccount} />
      ))}
    </Rows>
  );
}

function MessageRow({ message, block, showAccount }: Row & { readonly showAccount: boolean }) {
  const project = projectOf(message);
  const about = visible(detail(message));
  return (
    <tr>
      <td>
        <Hash of={message.hash} href={href(["message", hex(message.hash)])} copy={false} />
      </td>
      <td>
        <span class="kind">{typeLabel(message.data?.type ?? 0)}</span>
      </td>
      {showAccount && <td>{message.data !== undefined && <AccountLink address={message.data.ownerAddress} />}</td>}
      <td class="about">
        {project !== undefined && <ProjectLink id={project} />} <span class="muted">{about}</span>
      </td>
      <td class="number">
        <a href={href(["block", String(block)])}>{String(block)}</a>
      </td>
      <td class="number muted">
        <Ago time={message.data?.timestamp ?? 0} />
      </td>
    </tr>
  );
}
