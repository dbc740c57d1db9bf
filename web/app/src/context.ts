// What every view uses: how the page was served, and the client.
import type { Client } from "makechain";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Page } from "./page.js";

interface Shared {
  readonly page: Page;
  readonly client: Client;
}

export const SharedContext = createContext<Shared | undefined>(undefined);

/** useShared returns the page and the client. It may be called below App only. */
export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (shared === undefined) throw new Error("used outside of the page");
  return shared;
}
