// The frame of the page: header, the view of the current route, footer.
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Guard } from "./components/guard.js";
import { Header } from "./frame/header.js";
import { Footer } from "./frame/footer.js";
import { followNavigation, Heading } from "./heading.js";
import { lazy } from "./lazy.js";
import { type Route, useRoute } from "./route.js";
import { SessionProvider } from "./session/session.js";
import Home from "./views/home.js";

/** ViewProps are the properties of every view: the route without its first segment. */
export interface ViewProps {
  readonly route: Route;
}

const later = (name: "Account" | "Block" | "Blocks" | "Message" | "Messages" | "New" | "Node" | "Project" | "Search" | "Settings" | "SignIn" | "Validators") =>
  lazy<ViewProps>(async () => ({ default: (await import("./later.js"))[name] }));

/** views are the views by the first segment of the route. */
const views: Readonly<Record<string, ComponentType<ViewProps>>> = {
  "": Home,
  search: later("Search"),
  blocks: later("Blocks"),
  block: later("Block"),
  messages: later("Messages"),
  message: later("Message"),
  validators: later("Validators"),
  node: later("Node"),
  account: later("Account"),
  project: later("Project"),
  signin: later("SignIn"),
  new: later("New"),
  settings: later("Settings"),
};

export function App() {
  const route = useRoute();
  const first = route.path[0] ?? "";
  const View = Object.hasOwn(views, first) ? views[first] ?? NotFound : NotFound;
  useEffect(followNavigation, []);
  return (
    <SessionProvider>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main h1, main")?.focus()}>
        Skip to the content
      </button>
      <Header route={route} />
      <main tabIndex={-1}>
        <Guard key={first}>
          <View route={{ path: route.path.slice(1), query: route.query }} />
        </Guard>
      </main>
      <Footer />
    </SessionProvider>
  );
}

function NotFound() {
  return (
    <>
      <Heading title="Not found" />
      <p>
        There is no such view. <a href="#/">Go to the start.</a>
      </p>
    </>
  );
}
