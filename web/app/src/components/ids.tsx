// Ids with a link and a copy button.
import { address as addressText, hex, shorten } from "../format.js";
import { useAccountName, useProjectName } from "../names.js";
import { href } from "../route.js";
import { CopyButton } from "./copy.js";

interface HashProps {
  /** The id: bytes, or text as it is shown and copied. */
  readonly of: Uint8Array | string;
  /** Where it leads. */
  readonly href?: string;
  /** Shows all of it. */
  readonly full?: boolean;
  readonly length?: number;
  readonly copy?: boolean;
}

/** Hash shows the beginning of an id, all of it as its tooltip, and a button that copies it. */
export function Hash({ of: value, href: target, full = false, length = 8, copy = true }: HashProps) {
  const text = typeof value === "string" ? value : hex(value);
  const shown = full ? text : shorten(text, length);
  return (
    <span class={full ? "hash hash-full" : "hash"}>
      {target === undefined ? <code title={text}>{shown}</code> : <a href={target} title={text}><code>{shown}</code></a>}
      {copy && <CopyButton text={text} label={`Copy ${shown}`} />}
    </span>
  );
}

interface AccountProps {
  readonly address: Uint8Array;
  /** The username, if the caller knows it; an empty one shows the address. */
  readonly name?: string | undefined;
}

/** AccountLink leads to an account. It shows the username, which is proven unless the caller gives it, or the beginning of the address. */
export function AccountLink({ address, name: given }: AccountProps) {
  const text = addressText(address);
  const name = useAccountName(address, given);
  return (
    <a class="account-link" href={href(["account", name === "" ? text : name])} title={text}>
      {name === "" ? <code>{shorten(text)}</code> : name}
    </a>
  );
}

interface ProjectProps {
  readonly id: Uint8Array;
  /** "alice/hello", if the caller knows it. */
  readonly name?: string | undefined;
}

/** ProjectLink leads to a project by its id, which cannot change. It shows the name, proven unless the caller gives it, or the beginning of the id. */
export function ProjectLink({ id, name: given }: ProjectProps) {
  const text = hex(id);
  const name = useProjectName(id, given);
  return (
    <a class="project-link" href={href(["project", text])} title={text}>
      {name === "" ? <code>{shorten(text)}</code> : name}
    </a>
  );
}
