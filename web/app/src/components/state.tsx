// What a view shows instead of a value: that it is being loaded, that there is none, that it could not be read.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "./copy.js";

/** Skeleton takes the place of content that is being loaded, with about its height, so that nothing moves when it arrives. */
export function Skeleton({ lines = 3, class: name = "" }: { readonly lines?: number; readonly class?: string }) {
  return (
    <div class={`skeleton ${name}`} aria-busy="true">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => <span key={line} class="skeleton-line" />)}
    </div>
  );
}

interface EmptyProps {
  /** What there is none of, as a sentence. */
  readonly title: string;
  /** A command that is the next step. */
  readonly command?: string;
  readonly children?: ComponentChildren;
}

/** Empty says that a list has no entries and what the next step is. */
export function Empty({ title, command, children }: EmptyProps) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

/** Command shows a command for a terminal, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}

interface ErrorProps {
  readonly error: Error;
  readonly retry?: (() => void) | undefined;
}

/** ErrorMessage shows why something failed, and what to do about it. */
export function ErrorMessage({ error, retry }: ErrorProps) {
  const [hint, setHint] = useState("");
  useEffect(() => {
    let shown = true;
    void import("../later.js").then(({ describe }) => shown && setHint(describe(error)));
    return () => {
      shown = false;
    };
  }, [error]);
  return (
    <div class="error" role="alert">
      <p>{error.message}</p>
      {hint !== "" && <p class="muted">{hint}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
