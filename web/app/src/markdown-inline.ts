// The inline part of Markdown: emphasis, code, links, images, and a few HTML elements. It returns a tree of nodes with names and attributes from
// fixed lists, and texts. Nothing is ever parsed as HTML by the browser, so that no text can become more than this.

/** Node is an element of rendered Markdown. */
export interface Node {
  readonly tag: string;
  readonly props: Record<string, string | number | boolean>;
  readonly children: (Node | string)[];
}

/** Target is what a relative link or image names. */
export interface Target {
  /** The path in the repository, without "." and "..". */
  readonly path: readonly string[];
  /** Whether the link names a directory. */
  readonly directory: boolean;
  /** The section after "#". */
  readonly section: string;
}

export interface MarkdownOptions {
  /** The directory of the text in the repository. */
  readonly directory: readonly string[];
  /** Returns the link to a file or directory, or to a section of this text when the path is undefined. */
  readonly link: (target: Target | { readonly path: undefined; readonly section: string }) => string;
}

/** Context is what inline texts of one document share. */
export interface Context extends MarkdownOptions {
  /** The addresses of link references, by name in lower case. */
  readonly references: ReadonlyMap<string, string>;
}

/** How deeply elements nest, and how long a tag or the text of a link may be. */
const maxDepth = 12;
const maxSpan = 2_000;

const elements = new Set("b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li ol p pre q s samp span strong sub summary sup table tbody td tfoot th thead tr u ul var".split(" "));
const empty = new Set(["br", "hr", "img"]);
/** Elements whose content is not text for readers. */
const dropped = /^(?:applet|audio|canvas|embed|frameset|head|iframe|math|noembed|noframes|noscript|object|plaintext|script|select|style|svg|template|textarea|title|video|xmp)$/;

export const node = (tag: string, props: Node["props"] = {}, children: Node["children"] = []): Node => ({ tag, props, children });

/** inline parses an inline text. */
export function inline(text: string, context: Context, depth = 0): Node["children"] {
  return depth > maxDepth ? [text] : new Inline(text, context, depth).parse();
}

class Inline {
  private readonly root = node("");
  private readonly stack: Node[] = [this.root];
  private at = 0;
  /** Delimiters that do not occur again, so that each is searched for once. */
  private readonly absent = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly context: Context,
    private readonly depth: number,
  ) {}

  parse(): Node["children"] {
    const special = /[\\`*_~[!<&\n]|https?:\/\//g;
    while (this.at < this.text.length) {
      special.lastIndex = this.at;
      const next = special.exec(this.text)?.index ?? this.text.length;
      this.add(this.text.slice(this.at, next));
      this.at = next;
      if (next < this.text.length && !this.construct()) this.add(this.text[this.at++] as string);
    }
    return this.root.children;
  }

  private add(...children: Node["children"]): void {
    const into = (this.stack.at(-1) ?? this.root).children;
    for (const child of children) {
      if (typeof child === "string" && typeof into.at(-1) === "string") into[into.length - 1] += child;
      else if (child !== "") into.push(child);
    }
  }

  /** construct parses what begins at the current character. It returns false if that is an ordinary character. */
  private construct(): boolean {
    switch (this.text[this.at]) {
      case "\\": return this.escape();
      case "`": return this.code();
      case "*": case "_": case "~": return this.emphasis();
      case "!": return this.text[this.at + 1] === "[" && this.bracket(this.at + 1, true);
      case "[": return this.bracket(this.at, false);
      case "<": return this.angle();
      case "&": return this.entity();
      case "\n": return this.newline();
      default: return this.address();
    }
  }

  private escape(): boolean {
    const next = this.text[this.at + 1] ?? "";
    if (next === "\n") this.add(node("br"));
    else if (/[!-/:-@[-`{-~]/.test(next)) this.add(next);
    else return false;
    this.at += 2;
    return true;
  }

  private newline(): boolean {
    const last = this.stack.at(-1)?.children.at(-1);
    this.add(typeof last === "string" && last.endsWith("  ") ? node("br") : "\n");
    this.at++;
    return true;
  }

  private find(what: string, from: number): number {
    if (this.absent.has(what)) return -1;
    const found = this.text.indexOf(what, from);
    if (found < 0) this.absent.add(what);
    return found;
  }

  private code(): boolean {
    const fence = /^`+/.exec(this.text.slice(this.at, this.at + 64))?.[0] ?? "`";
    let end = this.find(fence, this.at + fence.length);
    while (end >= 0 && this.text[end + fence.length] === "`") {
      while (this.text[end] === "`") end++;
      end = this.find(fence, end);
    }
    if (end < 0) {
      this.add(fence);
      this.at += fence.length;
      return true;
    }
    const content = this.text.slice(this.at + fence.length, end).replace(/\n/g, " ");
    this.add(node("code", {}, [/^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content]));
    this.at = end + fence.length;
    return true;
  }

  private emphasis(): boolean {
    const { text, at } = this;
    const mark = text[at] as string;
    const double = text[at + 1] === mark;
    if (mark === "~" && !double) return false;
    const fence = double ? mark + mark : mark;
    const start = at + fence.length;
    const word = /[\p{L}\p{N}]/u;
    if (/\s|^$/.test(text[start] ?? "") || (mark === "_" && word.test(text[at - 1] ?? ""))) return this.plain(fence);
    for (let end = this.find(fence, start); end >= 0; end = this.find(fence, end + 1)) {
      const inside = !double && (text[end + 1] === mark || text[end - 1] === mark);
      if (end === start || inside || /\s/.test(text[end - 1] ?? "") || (mark === "_" && word.test(text[end + fence.length] ?? ""))) continue;
      const tag = mark === "~" ? "del" : double ? "strong" : "em";
      this.add(node(tag, {}, inline(text.slice(start, end), this.context, this.depth + 1)));
      this.at = end + fence.length;
      return true;
    }
    this.absent.add(fence);
    return this.plain(fence);
  }

  private plain(text: string): boolean {
    this.add(text);
    this.at += text.length;
    return true;
  }

  /** bracket parses links and images: [text](address "title"), [text][reference] and [reference]. */
  private bracket(open: number, image: boolean): boolean {
    const { text } = this;
    const close = this.find("]", open) < 0 ? -1 : closing(text, open);
    if (close < 0) return false;
    const label = text.slice(open + 1, close);
    const rest = text.slice(close + 1, close + 1 + maxSpan);
    const direct = /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(rest);
    const named = direct === null ? /^\[([^\]]*)\]/.exec(rest) : null;
    const address = direct === null ? this.context.references.get((named?.[1] || label).trim().toLowerCase()) : (direct[1] ?? direct[2] ?? "").replace(/\\(.)/g, "$1");
    if (address === undefined) return false;
    if (image) this.add(imageNode(address, label.replace(/[*_`]/g, ""), {}, this.context));
    else this.add(node("a", linkProps(address, this.context), inline(label, this.context, this.depth + 1)));
    this.at = close + 1 + (direct?.[0].length ?? named?.[0].length ?? 0);
    return true;
  }

  private address(): boolean {
    const address = /^https?:\/\/[^\s<>"')\]]{1,2000}/.exec(this.text.slice(this.at, this.at + 2010))?.[0].replace(/[.,:;!?*_~]+$/, "");
    if (address === undefined || this.stack.some(({ tag }) => tag === "a")) return false;
    this.add(node("a", linkProps(address, this.context), [address]));
    this.at += address.length;
    return true;
  }

  private entity(): boolean {
    const match = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/i.exec(this.text.slice(this.at, this.at + 12));
    if (match === null) return false;
    const [whole, decimal, hexadecimal, name = ""] = match;
    const code = decimal !== undefined ? Number(decimal) : hexadecimal !== undefined ? parseInt(hexadecimal, 16) : entities.get(name);
    if (code === undefined || code === 0 || code > 0x10ffff) return false;
    return this.add(String.fromCodePoint(code)), (this.at += whole.length), true;
  }

  /** angle parses <https://...>, comments and tags. */
  private angle(): boolean {
    const { text, at } = this;
    if (text.startsWith("<!--", at)) {
      const end = this.find("-->", at + 4);
      this.at = end < 0 ? text.length : end + 3;
      return true;
    }
    const part = text.slice(at, at + maxSpan);
    const link = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/i.exec(part);
    if (link !== null) {
      this.add(node("a", linkProps(link[1] ?? "", this.context), [link[1] ?? ""]));
      this.at += link[0].length;
      return true;
    }
    const tag = /^<(\/?)([a-z][a-z0-9-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>/i.exec(part);
    if (tag === null) return false;
    this.at += tag[0].length;
    this.tag((tag[2] ?? "").toLowerCase(), tag[1] === "/", attributes(tag[3] ?? ""));
    return true;
  }

  private tag(name: string, closes: boolean, given: ReadonlyMap<string, string>): void {
    const tag = name === "center" ? "div" : name;
    if (closes) {
      const open = this.stack.map((candidate) => candidate.tag).lastIndexOf(tag);
      if (open > 0) this.stack.length = open;
    } else if (dropped.test(tag)) {
      const end = this.text.toLowerCase().indexOf(`</${tag}`, this.at);
      this.at = end < 0 ? this.text.length : end;
    } else if (tag === "img") {
      this.add(imageNode(given.get("src") ?? "", given.get("alt") ?? "", sizes(given), this.context));
    } else if (tag === "a" || elements.has(tag)) {
      const align = name === "center" ? "center" : given.get("align");
      const props = tag === "a" ? linkProps(given.get("href") ?? "", this.context) : align !== undefined && /^(?:left|center|right)$/.test(align) ? { class: `align-${align}` } : {};
      const child = node(tag, props);
      this.add(child);
      if (!empty.has(tag) && this.stack.length + this.depth < maxDepth) this.stack.push(child);
    }
  }
}

const entities = new Map([["amp", 38], ["lt", 60], ["gt", 62], ["quot", 34], ["apos", 39], ["nbsp", 160], ["copy", 169], ["reg", 174], ["mdash", 8212], ["ndash", 8211], ["hellip", 8230], ["rarr", 8594], ["larr", 8592]]);

/** closing returns the position of the bracket that closes another one. */
function closing(text: string, open: number): number {
  const limit = Math.min(text.length, open + maxSpan);
  for (let at = open, nested = 0; at < limit; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") nested++;
    else if (text[at] === "]" && --nested === 0) return at;
  }
  return -1;
}

function attributes(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", a, b, c] of text.matchAll(/([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g)) found.set(name.toLowerCase(), a ?? b ?? c ?? "");
  return found;
}

function sizes(given: ReadonlyMap<string, string>): Node["props"] {
  const props: Node["props"] = {};
  for (const name of ["width", "height"]) {
    const value = /^(\d{1,4})(?:px)?$/.exec(given.get(name) ?? "")?.[1];
    if (value !== undefined) props[name] = Number(value);
  }
  return props;
}

const hasScheme = (address: string) => /^(?:[a-z][a-z0-9+.-]*:|\/\/|\\|\/\\)/i.test(address.replace(/[\u0000-\u0020]/g, ""));

function linkProps(address: string, { directory, link }: Context): Node["props"] {
  const target = address.trim();
  if (/^(?:https?:\/\/|mailto:)[^\u0000-\u0020]*$/i.test(target)) return { href: target, rel: "noopener noreferrer nofollow" };
  const found = target === "" || hasScheme(target) ? undefined : resolve(directory, target);
  if (found === undefined) return {};
  return { href: target.startsWith("#") ? link({ path: undefined, section: found.section }) : link(found) };
}

/** imageNode keeps images of the repository, as "repository-image" with the path, and replaces others by their text. */
function imageNode(address: string, alt: string, size: Node["props"], { directory }: Context): Node {
  const source = address.trim();
  const found = source === "" || hasScheme(source) ? undefined : resolve(directory, source);
  if (found !== undefined && found.path.length > 0) return node("repository-image", { ...size, alt, path: JSON.stringify(found.path) });
  return node("span", { class: "markdown-image", title: "Images of other servers are not loaded." }, [alt === "" ? "external image" : alt]);
}

/** resolve returns the path that a relative link of a text names; undefined if it leaves the repository. */
export function resolve(directory: readonly string[], link: string): Target | undefined {
  const [, location = "", section = ""] = /^([^?#]*)[^#]*(?:#(.*))?$/s.exec(link) ?? [];
  const path = location.startsWith("/") ? [] : [...directory];
  for (const part of location.split("/")) {
    if (part === "..") {
      if (path.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") {
      path.push(decode(part));
    }
  }
  return { path, directory: location === "" || /(?:^|\/)\.{0,2}$/.test(location), section: decode(section) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
