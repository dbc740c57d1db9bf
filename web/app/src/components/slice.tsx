import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../format.js";

/** How many entries of a list in memory are shown at a time. */
const step = 100;

/** useSlice returns the first entries of a list, and a button for more. */
export function useSlice<T>(entries: readonly T[]): { readonly shown: readonly T[]; readonly more: ComponentChildren } {
  const [shown, setShown] = useState(step);
  const more = shown < entries.length && (
    <div class="more">
      <button type="button" onClick={() => setShown(shown + step)}>
        Show more of {count(entries.length)}
      </button>
    </div>
  );
  return { shown: entries.slice(0, shown), more };
}
