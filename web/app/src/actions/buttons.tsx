// Buttons for a star, a follow and a like. They show the state that the chain proves, and change it.
import { bytesEqual, type Proven, ReactionType, rows } from "makechain";
import { useShared } from "../context.js";
import { hex } from "../format.js";
import { useProven } from "../load.js";
import { useSession } from "../session/session.js";
import type { Operation } from "./operation.js";
import { follow, like, type Named, star } from "./operations.js";

interface ToggleProps {
  /** What the button is about, part of the key of its value. */
  readonly subject: string;
  /** The verb for tests: "star". */
  readonly verb: string;
  readonly labels: readonly [add: string, remove: string];
  /** What the button does, for screen readers: the label alone does not name the target. */
  readonly title: string;
  /** Reads whether it is set for an account. */
  readonly read: (account: Uint8Array) => Promise<Proven<unknown>>;
  readonly operation: (add: boolean) => Operation;
}

/** Toggle is a button for something that is set or not. Without a session it leads to the sign-in. */
function Toggle({ subject, verb, labels, title, read, operation }: ToggleProps) {
  const { session, changes, perform } = useSession();
  const account = session?.account;
  const loaded = useProven(`${subject}/${account === undefined ? "" : hex(account)}`, async () => {
    if (account === undefined) throw new Error("nobody is signed in");
    return read(account);
  }, changes); // the button stays enabled meanwhile, so that it keeps the focus
  const isSet = account !== undefined && loaded.status === "proven" && loaded.value !== undefined;
  const isKnown = account === undefined || loaded.status === "proven";
  const label = labels[isSet ? 1 : 0];
  return (
    <button
      type="button"
      class="toggle"
      data-testid={`action-${isSet ? "un" : ""}${verb}`}
      aria-pressed={account === undefined ? undefined : isSet}
      aria-label={`${label}: ${title}`}
      disabled={!isKnown}
      onClick={() => void perform(operation(!isSet))}
    >
      {label}
    </button>
  );
}

/** StarButton stars a project. */
export function StarButton({ project }: { readonly project: Named }) {
  const { client } = useShared();
  return (
    <Toggle
      subject={`star/${hex(project.id)}`}
      verb="star"
      labels={["Star", "Unstar"]}
      title={project.name}
      read={(account) => client.row(rows.star, account, project.id)}
      operation={(add) => star(project, add)}
    />
  );
}

/** FollowButton follows an account. It is not shown to the account itself. */
export function FollowButton({ account }: { readonly account: Named }) {
  const { client } = useShared();
  const { session } = useSession();
  if (session !== undefined && bytesEqual(session.account, account.id)) return null;
  return (
    <Toggle
      subject={`follow/${hex(account.id)}`}
      verb="follow"
      labels={["Follow", "Unfollow"]}
      title={account.name}
      read={(own) => client.row(rows.follow, own, account.id)}
      operation={(add) => follow(account, add)}
    />
  );
}

/** LikeButton likes a commit of a project. */
export function LikeButton({ project, commit }: { readonly project: Named; readonly commit: Uint8Array }) {
  const { client } = useShared();
  return (
    <Toggle
      subject={`like/${hex(project.id)}/${hex(commit)}`}
      verb="like"
      labels={["Like", "Unlike"]}
      title="this commit"
      read={(account) => client.row(rows.reaction, account, ReactionType.LIKE, project.id, commit)}
      operation={(add) => like(project, commit, add)}
    />
  );
}
