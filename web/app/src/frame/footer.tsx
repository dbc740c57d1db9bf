import { Command } from "../components/state.js";
import { useShared } from "../context.js";
import { useClaimed } from "../load.js";
import { forgetChain, type Page } from "../page.js";

const sources = {
  genesis: "the genesis file that was given to it",
  trust: "the validators that were given to it",
  first_seen: "the chain that it saw first",
} as const;

/** Footer states how the page was served, what that is worth, and whom it trusts. */
export function Footer() {
  const { page } = useShared();
  return (
    <footer class="bottom">
      <section class="served" aria-label="How this page is served">
        {page.served_by === "explorer" ? <ServedByExplorer page={page} /> : <ServedByNode page={page} />}
        <Trusted page={page} />
      </section>
      <nav aria-label="About">
        <ul>
          <li>
            <a href="reference">API reference</a>
          </li>
          <li>
            <a href="openapi.json">OpenAPI</a>
          </li>
        </ul>
      </nav>
    </footer>
  );
}

function ServedByExplorer({ page }: { readonly page: Page }) {
  return (
    <p>
      <strong>Verified by your own program.</strong> <code>makechain explorer</code> serves this page and reads the chain from <code>{page.node}</code>, which is not trusted.
    </p>
  );
}

function ServedByNode({ page }: { readonly page: Page }) {
  return (
    <>
      <p>
        <strong>This page was served by the {page.served_by} that it verifies, which proves nothing.</strong> To verify, run
      </p>
      <Command text={`makechain explorer --node ${page.node}`} />
    </>
  );
}

/** Trusted states whom the page trusts: what the server of the page was given, or the chain that this browser saw first. */
function Trusted({ page }: { readonly page: Page }) {
  const { client } = useShared();
  const first = useClaimed("trusted", () => client.trusted());
  if (page.trust !== null) {
    return (
      <p>
        It trusts {sources[page.trust.source]}: {page.trust.chain_id}, from block {page.trust.block_number} on.
      </p>
    );
  }
  return (
    <p>
      It trusts the chain that this browser saw first{first.status === "claimed" ? `: ${first.value.chainId}` : ""}.{" "}
      <button type="button" class="quiet" onClick={forgetChain}>
        Forget it
      </button>
    </p>
  );
}
