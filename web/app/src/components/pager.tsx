import type { Pages } from "../load.js";
import { ErrorMessage, Skeleton } from "./state.js";

/** More is the end of a list that is read page by page: a button for the next page, the state of loading it, and errors. */
export function More({ of: pages }: { readonly of: Pages<unknown> }) {
  const { loaded } = pages;
  if (loaded.status === "invalid" || loaded.status === "failed") return <ErrorMessage error={loaded.error} retry={pages.retry} />;
  if (loaded.status === "verifying") return <Skeleton lines={pages.items.length === 0 ? 8 : 2} />;
  if (!pages.more) return null;
  return (
    <div class="more">
      <button type="button" onClick={pages.next}>
        Show more
      </button>
    </div>
  );
}
