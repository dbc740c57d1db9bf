// Headings of views: they name the document and receive the focus after a navigation.
import { type ComponentChildren, createElement } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Whether the next heading takes the focus. */
let navigated = false;
/** The titles of the headings that are shown, by level. */
const titles: (string | undefined)[] = [];

/** entitle names the document after the headings, the innermost first. */
function entitle(level: number, title: string | undefined): void {
  titles[level] = title;
  document.title = [...titles.filter((each) => each !== undefined).reverse(), "Makechain"].join(" · ");
}

/** followNavigation marks that the next heading takes the focus, and scrolls up when a link was followed. It returns the end of it. */
export function followNavigation(): () => void {
  let followed = false;
  const click = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest("a[href^='#/']") !== null) followed = true;
  };
  const change = () => {
    navigated = true;
    if (followed) scrollTo(0, 0);
    followed = false;
  };
  addEventListener("click", click);
  addEventListener("hashchange", change);
  return () => {
    removeEventListener("click", click);
    removeEventListener("hashchange", change);
  };
}

interface HeadingProps {
  /** What the document is called while the heading is shown. */
  readonly title: string;
  readonly level?: 1 | 2;
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** Heading is the heading of a view (level 1) or of a view inside of a project or account (level 2). It shows its title without children. */
export function Heading({ title, level = 1, class: name, children }: HeadingProps) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    entitle(level, title);
    return () => entitle(level, undefined);
  }, [level, title]);
  useEffect(() => {
    if (!navigated) return;
    navigated = false;
    element.current?.focus({ preventScroll: true });
  }, [title]);
  useEffect(() => {
    const shown = element.current;
    // The heading of a view that was loading is replaced by that of the view, which keeps the focus.
    return () => {
      if (document.activeElement === shown) navigated = true;
    };
  }, []);
  return createElement(`h${level}`, { ref: element, tabIndex: -1, class: name }, children ?? title);
}
