// Loading values for views, with what is known about their truth.
import type { Evidence, Proven } from "makechain";
import { useCallback, useEffect, useReducer, useRef } from "preact/hooks";

/**
 * Loaded is a value that a view shows. A value is "proven" with the evidence, "claimed" when it is the node's word (an index, a
 * statistic), "invalid" when its proof is wrong, and "failed" when it could not be read.
 */
export type Loaded<T> =
  | { readonly status: "verifying"; readonly value?: T }
  | { readonly status: "proven"; readonly value: T; readonly evidence: Evidence }
  | { readonly status: "claimed"; readonly value: T }
  | { readonly status: "invalid"; readonly error: Error }
  | { readonly status: "failed"; readonly error: Error };

type Load<T> = (signal: AbortSignal) => Promise<T>;

/**
 * useProven loads a value with its proof. It loads again when the key changes; a later load aborts an earlier one. When only the version
 * changes, the value is shown until the new one is proven.
 */
export function useProven<T>(key: string, load: Load<Proven<T>>, version = 0): Loaded<T> {
  return useLoad(key, version, async (signal) => {
    const { value, evidence } = await load(signal);
    return { status: "proven", value, evidence };
  });
}

/** useClaimed loads a value that has no proof: the node's word. */
export function useClaimed<T>(key: string, load: Load<T>): Loaded<T> {
  return useLoad(key, 0, async (signal) => ({ status: "claimed", value: await load(signal) }));
}

function useLoad<T>(key: string, version: number, load: Load<Loaded<T>>): Loaded<T> {
  const [, redraw] = useReducer((drawn: number, _: undefined) => drawn + 1, 0);
  const state = useRef<{ key: string; loaded: Loaded<T> }>({ key: "", loaded: { status: "verifying" } });
  if (state.current.key !== key) state.current = { key, loaded: { status: "verifying" } };
  useEffect(() => {
    const abort = new AbortController();
    const finish = (loaded: Loaded<T>) => {
      if (abort.signal.aborted) return;
      state.current = { key, loaded };
      redraw(undefined);
    };
    load(abort.signal).then(finish, (error: unknown) => finish(failure(error)));
    return () => abort.abort();
  }, [key, version]);
  return state.current.loaded;
}

/** failure tells a wrong proof from a failed request. */
export function failure(thrown: unknown): { status: "invalid" | "failed"; error: Error } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { status: error.name === "ProofError" ? "invalid" : "failed", error };
}

/** Page is a page of a list: with its evidence, or as the node's word. */
export type Page<T> = { readonly value: readonly T[]; readonly evidence?: Evidence };

/** Pages is a list that is read page by page. */
export interface Pages<T> {
  /** The entries of the pages that were read. */
  readonly items: readonly T[];
  /** The state of the page that was read last. A list is proven when all its pages are. */
  readonly loaded: Loaded<readonly T[]>;
  /** Whether there are further pages. */
  readonly more: boolean;
  /** Shows the next page. */
  readonly next: () => void;
  /** Reads the list again from the start. */
  readonly retry: () => void;
}

interface Reading<T> {
  readonly key: string;
  readonly items: readonly T[];
  readonly loaded: Loaded<readonly T[]>;
  readonly more: boolean;
}

/**
 * usePages reads a list page by page. One page more than is shown is read ahead, so that it is known whether there are more. It
 * starts again when the key changes.
 */
export function usePages<T>(key: string, open: (signal: AbortSignal) => AsyncIterable<Page<T>>): Pages<T> {
  const start = (): Reading<T> => ({ key, items: [], loaded: { status: "verifying" }, more: false });
  const [attempt, retry] = useReducer((tried: number, _: undefined) => tried + 1, 0);
  const [, redraw] = useReducer((drawn: number, _: undefined) => drawn + 1, 0);
  const state = useRef<Reading<T>>(start());
  const advance = useRef<() => void>(() => undefined);
  if (state.current.key !== key) state.current = start();
  useEffect(() => {
    const abort = new AbortController();
    const pages = open(abort.signal)[Symbol.asyncIterator]();
    let ahead = pages.next();
    const show = (reading: Partial<Reading<T>>) => {
      if (abort.signal.aborted) return;
      state.current = { ...state.current, ...reading };
      redraw(undefined);
    };
    const step = async () => {
      try {
        const page = await ahead;
        if (page.done === true) return show({ more: false, loaded: shown(state.current) });
        ahead = pages.next();
        const items = [...state.current.items, ...page.value.value];
        show({ items, loaded: loadedPage(page.value, items), more: true });
        if ((await ahead).done === true) show({ more: false });
      } catch (error) {
        show({ loaded: failure(error), more: false });
      }
    };
    advance.current = () => {
      show({ loaded: { status: "verifying" } });
      void step();
    };
    state.current = start();
    redraw(undefined);
    void step();
    return () => abort.abort();
  }, [key, attempt]);
  const { items, loaded, more } = state.current;
  return { items, loaded, more, next: useCallback(() => advance.current(), []), retry: useCallback(() => retry(undefined), []) };
}

function loadedPage<T>(page: Page<T>, items: readonly T[]): Loaded<readonly T[]> {
  return page.evidence === undefined ? { status: "claimed", value: items } : { status: "proven", value: items, evidence: page.evidence };
}

/** shown is the state of a list that has no further page: a list without any page is the node's word. */
function shown<T>(reading: Reading<T>): Loaded<readonly T[]> {
  return reading.loaded.status === "verifying" ? { status: "claimed", value: reading.items } : reading.loaded;
}

/** byCursor reads the pages of a list that is the node's word. The end of the list is an empty cursor. */
export async function* byCursor<T>(read: (cursor: Uint8Array) => Promise<{ readonly items: readonly T[]; readonly nextCursor: Uint8Array }>): AsyncGenerator<Page<T>> {
  let cursor = new Uint8Array();
  do {
    const page = await read(cursor);
    yield { value: page.items };
    cursor = Uint8Array.from(page.nextCursor);
  } while (cursor.length > 0);
}
