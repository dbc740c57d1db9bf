// Lists that change while somebody reads them.
import { useRef, useState } from "preact/hooks";

interface Held<T> {
  /** What to show. */
  readonly shown: readonly T[];
  /** How many entries are new since the list was held. */
  readonly waiting: number;
  /** Shows the new entries. */
  readonly release: () => void;
  /** Properties of the element that contains the list. */
  readonly handlers: {
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: () => void;
    readonly onFocusIn: () => void;
    readonly onFocusOut: () => void;
  };
}

/** useHeld keeps a list as it is while the pointer is over it or the focus is in it, so that nothing moves under the hand of the reader. */
export function useHeld<T>(live: readonly T[], keyOf: (entry: T) => string | number): Held<T> {
  const [held, setHeld] = useState(0);
  const shown = useRef(live);
  if (held === 0 || shown.current.length === 0) shown.current = live;
  const known = new Set(shown.current.map(keyOf));
  const waiting = live.filter((entry) => !known.has(keyOf(entry))).length;
  const [, redraw] = useState(0);
  const hold = () => setHeld((count) => count + 1);
  const leave = () => setHeld((count) => Math.max(0, count - 1));
  const release = () => {
    shown.current = live;
    redraw((count) => count + 1);
  };
  return { shown: shown.current, waiting, release, handlers: { onPointerEnter: hold, onPointerLeave: leave, onFocusIn: hold, onFocusOut: leave } };
}
