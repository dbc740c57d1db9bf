// Routes of the page. They are in the fragment of the URL, so that no username or project name collides with a path of the node.
import { useEffect, useState } from "preact/hooks";

/** Route is a location of the page: the segments of its path, decoded, and its parameters. */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** parseRoute parses a fragment such as "#/project/alice/hello/tree/main/docs?tab=x". Each segment is percent-encoded. */
export function parseRoute(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter((part) => part !== "").map(decode), query: new URLSearchParams(query) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // not valid percent-encoding: shown as it is
  }
}

/** href returns the link to a location: href(["project", "alice", "hello"], { tab: "refs" }). */
export function href(path: readonly string[], query: Record<string, string> = {}): string {
  const parameters = new URLSearchParams(query).toString();
  return "#/" + path.map(encodeURIComponent).join("/") + (parameters === "" ? "" : "?" + parameters);
}

/** navigate goes to a location, as a link to it would. */
export function navigate(path: readonly string[], query: Record<string, string> = {}): void {
  location.hash = href(path, query);
}

/** useRoute returns the current route and follows changes of the fragment. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
