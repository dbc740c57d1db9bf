// All fields of a protobuf message, as a list of names and values.
import type { FieldDesc, MessageDesc } from "makechain";
import { address, gitId, hex, visible, words } from "../format.js";
import { refText } from "../message.js";
import { href } from "../route.js";
import { CopyButton } from "./copy.js";
import { AccountLink, ProjectLink } from "./ids.js";
import { Ago } from "./time.js";

/** How many entries of a repeated field are shown. */
const maxEntries = 100;
/** More entries than this are folded at first. */
const maxOpen = 3;

/** Fields shows the fields of a message that are set. Refs and commits lead to those of the project that the message is about. */
export function Fields({ of: message, type, project }: { readonly of: object; readonly type: MessageDesc; readonly project?: Uint8Array | undefined }) {
  const record = message as Readonly<Record<string, unknown>>;
  return (
    <dl class="facts">
      {type.fields.map((field) => {
        const oneof = field.oneof === undefined ? undefined : (record[field.oneof.localName] as { case?: string; value?: unknown } | undefined);
        const value = field.oneof === undefined ? record[field.localName] : oneof?.case === field.localName ? oneof.value : undefined;
        if (isUnset(value)) return null;
        return (
          <>
            <dt>{words(field.name)}</dt>
            <dd>
              <Value field={field} value={value} project={project} />
            </dd>
          </>
        );
      })}
    </dl>
  );
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === "" || value === false || ((value instanceof Uint8Array || Array.isArray(value)) && value.length === 0);
}

interface ValueProps {
  readonly field: FieldDesc;
  readonly value: unknown;
  readonly project: Uint8Array | undefined;
}

function Value({ field, value, project }: ValueProps) {
  if (!Array.isArray(value)) return <Single field={field} value={value} project={project} />;
  const entries = (
    <>
      <ol class="values">
        {value.slice(0, maxEntries).map((entry, index) => (
          <li key={index}>
            <Single field={field} value={entry} project={project} />
          </li>
        ))}
      </ol>
      {value.length > maxEntries && <p class="muted">and {value.length - maxEntries} more</p>}
    </>
  );
  if (value.length <= maxOpen) return entries;
  return (
    <details>
      <summary>{value.length} entries</summary>
      {entries}
    </details>
  );
}

function Single({ field, value, project }: ValueProps) {
  if (value instanceof Uint8Array) return <Bytes name={field.name} value={value} project={project} />;
  if (typeof value === "string") return <span class="preserve">{visible(value)}</span>;
  if (typeof value === "boolean") return <span>{value ? "yes" : "no"}</span>;
  if (field.message !== undefined && typeof value === "object" && value !== null) return <Fields of={value} type={field.message} project={project} />;
  if (field.enum !== undefined) {
    const label = field.enum.value[Number(value)]?.localName ?? String(value);
    return <span>{words(label)}</span>;
  }
  if (/timestamp$|_at$|^valid_/.test(field.name) && Number(value) > 1e9) return <Ago time={Number(value)} />;
  return <span>{String(value)}</span>;
}

function Bytes({ name, value, project }: { readonly name: string; readonly value: Uint8Array; readonly project: Uint8Array | undefined }) {
  if (name.endsWith("owner_address") || (name === "author_address" && value.length === 20)) return <AccountLink address={value} />;
  if (name.endsWith("project_id") || name === "allowed_projects") return <ProjectLink id={value} />;
  // A ref or commit of the source of a merge request is in another project.
  const place = project === undefined || name.startsWith("source_") ? undefined : ["project", hex(project)];
  if (name.endsWith("_ref") || name === "ref_name") return linked(visible(refText(value)), place && [...place, "tree", refText(value)]);
  const git = /hash$|^parents$|^tree_root$|^tag_object$|^merge_commit$/.test(name) && name !== "message_hash" && name !== "settlement_tx_hash";
  const text = git ? gitId(value) : value.length === 20 ? address(value) : hex(value);
  return (
    <span class="wrap">
      {linked(text, name === "request_id" || name === "replaces" ? ["message", text] : git && name !== "tree_root" && name !== "tag_object" && value.some((byte) => byte !== 0) ? place && [...place, "commit", text] : undefined)} <CopyButton text={text} label={`Copy: ${words(name)}`} />
    </span>
  );
}

/** linked shows an id, which leads to a route if there is one. */
function linked(text: string, path: readonly string[] | undefined) {
  return path === undefined ? <code>{text}</code> : <a href={href(path)}><code>{text}</code></a>;
}
