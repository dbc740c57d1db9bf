import { useEffect, useState } from "preact/hooks";
import { navigate, type Route } from "../route.js";
import { Account } from "./account.js";

const links = [
  ["Blocks", "blocks", "block"],
  ["Messages", "messages", "message"],
  ["Validators", "validators", "validators"],
  ["Node", "node", "node"],
] as const;

/** Header has the name of the page, the search box, the navigation and the place where the user signs in. */
export function Header({ route }: { readonly route: Route }) {
  const first = route.path[0] ?? "";
  return (
    <header class="top">
      <a class="brand" href="#/" aria-current={first === "" ? "page" : undefined}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 3.5v9M4 9c0-3 8-1 8-4.5" />
          <circle cx="4" cy="3" r="2" />
          <circle cx="4" cy="13" r="2" />
          <circle cx="12" cy="3.5" r="2" />
        </svg>
        Makechain
      </a>
      <Search query={first === "search" ? route.query.get("q") ?? "" : ""} />
      <nav class="site" aria-label="Chain">
        <ul>
          {links.map(([label, target, one]) => (
            <li key={target}>
              <a href={`#/${target}`} aria-current={first === target || first === one ? "page" : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Account />
    </header>
  );
}

/** Search is the search box. It opens the view of results, which goes on to the only result if there is one. */
function Search({ query }: { readonly query: string }) {
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== "") navigate(["search"], { q: text.trim() });
  };
  return (
    <form class="search" role="search" aria-label="Search the chain" onSubmit={submit}>
      <label class="hidden" for="search">
        Search
      </label>
      <input id="search" type="search" autocomplete="off" autocapitalize="off" spellcheck={false} placeholder="Name, hash, address, block" value={text} onInput={(event) => setText(event.currentTarget.value)} />
    </form>
  );
}
