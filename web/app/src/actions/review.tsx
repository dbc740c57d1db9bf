// The dialog that shows what will be signed, and follows it until it is committed.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Dialog, ErrorMessage } from "../components/index.js";
import { useShared } from "../context.js";
import { address, hex, plural } from "../format.js";
import { href } from "../route.js";
import type { Session } from "../session/session.js";
import { fieldsOf } from "./fields.js";
import { type Operation, prepare, type Prepared } from "./operation.js";
import { send, type Sent } from "./send.js";

interface ReviewProps {
  readonly operation: Operation;
  readonly session: Session;
  /** Called when the dialog is closed, and whether the operation was committed. */
  readonly finish: (committed: boolean) => void;
}

type State =
  | { readonly status: "review" }
  | { readonly status: "sending"; readonly text: string }
  | { readonly status: "committed"; readonly block: bigint }
  | { readonly status: "failed"; readonly error: Error };

/** refreshMilliseconds is how long a timestamp is shown before it is replaced: the chain refuses times that are 5 minutes old. */
const refreshMilliseconds = 60_000;

/** Review shows the items of an operation with all fields, signs them when the user agrees, and shows how they end. */
export default function Review({ operation, session, finish }: ReviewProps) {
  const { client } = useShared();
  const [state, setState] = useState<State>({ status: "review" });
  const timestamp = useTimestamp(state.status === "review");
  const prepared = useMemo(() => prepare(operation.items, session.account, session.network, timestamp), [operation, timestamp]);
  const sent = useRef<Sent>({ items: 0, ids: [] });
  const isOpen = useRef(true);
  useEffect(() => () => {
    isOpen.current = false;
  }, []);

  const sign = async () => {
    const show = (text: string) => isOpen.current && setState({ status: "sending", text });
    try {
      const block = await send(client, session, prepared, sent.current, show);
      if (isOpen.current) setState({ status: "committed", block });
    } catch (error) {
      if (isOpen.current) setState({ status: "failed", error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  const done = state.status === "committed";
  return (
    <Dialog title={operation.title} close={() => finish(done)}>
      <form
        class="review"
        data-testid="review"
        data-status={state.status}
        onSubmit={(event) => {
          event.preventDefault();
          if (done) finish(true);
          else void sign();
        }}
      >
        {state.status === "review" && (
          <>
            {operation.note !== undefined && <p>{operation.note}</p>}
            <Signer session={session} />
            <ol class="review-items">
              {prepared.map((each, index) => (
                <li key={index}>
                  <ItemFields of={each} />
                </li>
              ))}
            </ol>
          </>
        )}
        <Progress state={state} />
        <Buttons operation={operation} state={state} cancel={() => finish(false)} />
      </form>
    </Dialog>
  );
}

/** useTimestamp returns the time in seconds that messages will have. It follows the clock, so that what is shown is what is signed. */
function useTimestamp(follow: boolean): number {
  const [timestamp, setTimestamp] = useState(() => nextTimestamp());
  useEffect(() => {
    if (!follow) return;
    const timer = setInterval(() => setTimestamp(nextTimestamp()), refreshMilliseconds);
    return () => clearInterval(timer);
  }, [follow]);
  return timestamp;
}

let lastTimestamp = 0;

/** nextTimestamp is later than that of the operation before: the chain refuses two changes of one value in the same second. */
function nextTimestamp(): number {
  lastTimestamp = Math.max(Math.floor(Date.now() / 1000), lastTimestamp + 1);
  return lastTimestamp;
}

function Signer({ session }: { readonly session: Session }) {
  return (
    <dl class="facts">
      <dt>Account</dt>
      <dd class="wrap">
        {session.name !== "" && `${session.name} `}
        <code>{address(session.account)}</code>
      </dd>
      <dt>Key</dt>
      <dd class="wrap">
        <code>{hex(session.signer.publicKey)}</code>
      </dd>
      <dt>Chain</dt>
      <dd>{session.chainId}</dd>
    </dl>
  );
}

function ItemFields({ of: { item, data } }: { readonly of: Prepared }) {
  const fields = data !== undefined ? fieldsOf(data) : item.kind === "step" ? (item.fields ?? []) : [];
  return (
    <>
      <p class="review-words">
        <strong>{item.words}</strong>
        {item.kind === "custody" && <span class="muted"> Your passkey signs this: your device asks {plural(item.change.signatures, "time")}.</span>}
      </p>
      {fields.length > 0 && (
        <details open>
          <summary>{data === undefined ? "Details" : "All fields of the message"}</summary>
          <dl class="facts fields">
            {fields.map(({ name, value }) => (
              <>
                <dt key={name}>{name}</dt>
                <dd class="wrap">
                  {item.kind === "custody" && name.endsWith("_signature") ? "of your passkey, when you confirm" : <code>{value}</code>}
                </dd>
              </>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

function Progress({ state }: { readonly state: State }) {
  return (
    <div aria-live="polite">
      {state.status === "sending" && <p class="review-progress">{state.text}</p>}
      {state.status === "committed" && (
        <p class="review-committed">
          Committed in block <a href={href(["block", String(state.block)])}>{String(state.block)}</a>.
        </p>
      )}
      {state.status === "failed" && <ErrorMessage error={state.error} />}
    </div>
  );
}

interface ButtonsProps {
  readonly operation: Operation;
  readonly state: State;
  readonly cancel: () => void;
}

/** Buttons sign or cancel. The focus is on the safe one where the operation is destructive. */
function Buttons({ operation, state, cancel }: ButtonsProps) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), [state.status]); // a dialog that opens gives the focus to the element with autofocus itself
  if (state.status === "committed") {
    return (
      <div class="buttons">
        <button type="submit" class="primary" ref={first} data-testid="review-done">
          Done
        </button>
      </div>
    );
  }
  const destructive = operation.destructive === true;
  return (
    <div class="buttons">
      <button type="button" ref={destructive ? first : null} autofocus={destructive} data-testid="review-cancel" onClick={cancel}>
        {state.status === "review" ? "Cancel" : "Close"}
      </button>
      <button type="submit" class={destructive ? "danger" : "primary"} ref={destructive ? null : first} autofocus={!destructive} data-testid="review-sign" disabled={state.status === "sending"}>
        {state.status === "failed" ? "Try again" : operation.items.some((item) => item.kind !== "step") ? `Sign: ${operation.verb}` : operation.verb}
      </button>
    </div>
  );
}

