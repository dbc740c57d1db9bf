// The session: who is signed in, with which keys. It is in memory only: it ends with the tab, at sign-out, or after a time without use.
import type { Network, Signer } from "makechain";
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Operation } from "../actions/operation.js";
import { lazy } from "../lazy.js";
import type { Passkey } from "./passkey.js";

/** idleMilliseconds is how long a session lasts without a key press, click or touch. */
const idleMilliseconds = 30 * 60_000;

/** Session is an account that is signed in. */
export interface Session {
  readonly account: Uint8Array;
  /** The username, empty for none. */
  readonly name: string;
  readonly network: Network;
  readonly chainId: string;
  /** The delegated key, with scope SIGNING. */
  readonly signer: Signer;
  /** Overwrites the secret of the delegated key, which signs nothing afterwards. */
  readonly wipe: () => void;
  /** The passkey returns the key each time. If not, the key is for this session only, and should be revoked at its end. */
  readonly derived: boolean;
  /** The custody key that authorizes changes of keys. */
  readonly passkey: Passkey;
}

interface SessionState {
  readonly session: Session | undefined;
  /** Increases with each change: part of the keys of values that changes affect. */
  readonly changes: number;
  readonly signIn: (session: Session) => void;
  readonly signOut: () => void;
  /** Asks the user to review and sign an operation. It reports whether it was committed. Without a session it leads to the sign-in. */
  readonly perform: (operation: Operation) => Promise<boolean>;
}

const SessionContext = createContext<SessionState | undefined>(undefined);

/** useSession returns the session, and how to change it. */
export function useSession(): SessionState {
  const state = useContext(SessionContext);
  if (state === undefined) throw new Error("used outside of the page");
  return state;
}

const Review = lazy(async () => ({ default: (await import("../later.js")).Review }));

/** SessionProvider keeps the session for the components below it, and shows the dialog of an operation. */
export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const [session, setSession] = useState<Session>();
  const [changes, setChanges] = useState(0);
  const [pending, setPending] = useState<{ id: number; operation: Operation; session: Session; finish: (committed: boolean) => void }>();
  const operations = useRef(0);
  const current = useRef(session);

  const replace = useCallback((next: Session | undefined) => {
    if (current.current !== undefined && current.current.signer !== next?.signer) current.current.wipe();
    current.current = next;
    setSession(next);
  }, []);
  const signOut = useCallback(() => replace(undefined), []);
  useIdle(session !== undefined, signOut);

  const perform = useCallback((operation: Operation) => {
    const signer = operation.session ?? current.current;
    if (signer === undefined) {
      location.hash = `#/signin?next=${encodeURIComponent(location.hash)}`;
      return Promise.resolve(false);
    }
    return new Promise<boolean>((resolve) => {
      const finish = (committed: boolean) => {
        setPending((shown) => (shown?.finish === finish ? undefined : shown)); // the next operation may be shown already
        setChanges((count) => count + 1); // also after a failure: some of the messages may have been committed
        resolve(committed);
      };
      setPending({ id: ++operations.current, operation, session: signer, finish });
    });
  }, []);

  const state = useMemo(() => ({ session, changes, signIn: replace, signOut, perform }), [session, changes]);
  return (
    <SessionContext.Provider value={state}>
      {children}
      {pending !== undefined && <Review key={pending.id} {...pending} />}
    </SessionContext.Provider>
  );
}

/** useIdle calls end when the user did nothing for a while, and when the page is left. */
function useIdle(active: boolean, end: () => void) {
  useEffect(() => {
    if (!active) return;
    let timer = setTimeout(end, idleMilliseconds);
    const touch = () => {
      clearTimeout(timer);
      timer = setTimeout(end, idleMilliseconds);
    };
    const events = ["pointerdown", "keydown"];
    for (const event of events) addEventListener(event, touch, { passive: true });
    addEventListener("pagehide", end);
    return () => {
      clearTimeout(timer);
      for (const event of events) removeEventListener(event, touch);
      removeEventListener("pagehide", end);
    };
  }, [active]);
}
