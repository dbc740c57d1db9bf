// The part of the header that shows who is signed in.
import { useShared } from "../context.js";
import { address, shorten } from "../format.js";
import { href } from "../route.js";
import { useSession } from "./session.js";

/** SessionMenu leads to the sign-in, or shows the account and signs out. */
export function SessionMenu() {
  const { session } = useSession();
  const leave = useSignOut();
  if (session === undefined) {
    return (
      <a class="button account" href="#/signin" data-testid="action-signin">
        Sign in
      </a>
    );
  }
  const text = address(session.account);
  return (
    <span class="session account" data-testid="session">
      <a href={href(["account", text])}>{session.name === "" ? shorten(text) : session.name}</a>
      <a href="#/new">New project</a>
      <a href="#/settings">Settings</a>
      <button type="button" class="link-button" data-testid="action-sign-out" onClick={() => void leave()}>
        Sign out
      </button>
    </span>
  );
}

/** useSignOut returns how to sign out. It first offers to revoke a key that is for the session only. */
export function useSignOut(): () => Promise<void> {
  const { client } = useShared();
  const { session, signOut, perform } = useSession();
  return async () => {
    if (session === undefined) return;
    if (!session.derived) {
      const { signerRemove } = await import("../later.js");
      try {
        const change = await signerRemove(client, session, session.signer.publicKey);
        await perform({
          title: "Revoke the key of this session",
          verb: "Revoke",
          note: "The key was made for this session only, because the passkey cannot derive one. Revoke it before you sign out; if you cancel, it stays registered, but its secret is deleted.",
          items: [{ kind: "custody", words: "Revoke the key of this session", change }],
        });
      } catch {
        // Not reachable: the secret is deleted all the same, and the key can be revoked in the settings later.
      }
    }
    signOut();
    location.hash = "#/";
  };
}
