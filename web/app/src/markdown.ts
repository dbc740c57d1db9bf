// Markdown of a repository: headings, paragraphs, lists, task lists, quotations, tables, code. It covers what READMEs use of GitHub's Markdown.
import { visible } from "./format.js";
import { highlight, languageOf } from "./highlight.js";
import { type Context, inline, type MarkdownOptions, node, type Node } from "./markdown-inline.js";

/** The size of a text that is rendered; a larger one is shown as it is. */
export const maxMarkdown = 300_000;

/** The prefix of ids, so that no text can take the id of an element of the page. */
export const sectionPrefix = "section-";

/** How deeply quotations and lists nest. */
const maxDepth = 12;

/** parseMarkdown returns the nodes of a text. */
export function parseMarkdown(text: string, options: MarkdownOptions): Node["children"] {
  const references = new Map<string, string>();
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").replace(/\0/g, "\ufffd").split("\n");
  const kept = lines.filter((line) => {
    const match = /^ {0,3}\[([^\]\n]{1,200})\]:\s+<?([^\s<>]{1,2000})>?(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*$/.exec(line);
    if (match !== null) references.set((match[1] ?? "").trim().toLowerCase(), match[2] ?? "");
    return match === null;
  });
  return new Blocks({ ...options, references }).parse(kept, 0);
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)/;
const heading = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const rule = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const quote = /^ {0,3}> ?/;
const delimiter = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

class Blocks {
  /** How often each slug of a heading occurred. */
  private readonly used = new Map<string, number>();

  constructor(private readonly context: Context) {}

  parse(lines: readonly string[], depth: number): Node["children"] {
    if (depth > maxDepth) return [node("p", {}, [lines.join("\n")])];
    const blocks: Node["children"] = [];
    for (let at = 0; at < lines.length; ) {
      const line = lines[at] as string;
      if (line.trim() === "") at++;
      else if (fence.test(line)) at = this.fenced(lines, at, blocks);
      else if (heading.test(line)) {
        const [, marks = "#", title = ""] = heading.exec(line) ?? [];
        blocks.push(this.heading(marks.length, title));
        at++;
      } else if (rule.test(line)) (blocks.push(node("hr")), at++);
      else if (quote.test(line)) at = this.quotation(lines, at, blocks, depth);
      else if (item.test(line)) at = this.list(lines, at, blocks, depth);
      else if (/^(?: {4}|\t)/.test(line)) at = this.indented(lines, at, blocks);
      else if (line.includes("|") && delimiter.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) at = this.table(lines, at, blocks);
      else at = this.paragraph(lines, at, blocks);
    }
    return blocks;
  }

  private heading(level: number, title: string): Node {
    const children = inline(title, this.context);
    const slug = textOf(children).trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-").slice(0, 100);
    const before = this.used.get(slug) ?? 0;
    this.used.set(slug, before + 1);
    const id = before === 0 ? slug : `${slug}-${before}`;
    // The view has a heading of level 2 itself.
    return node(`h${Math.min(6, level + 2)}`, { id: sectionPrefix + id, class: `markdown-h${level}`, tabIndex: -1 }, children);
  }

  private fenced(lines: readonly string[], start: number, blocks: Node["children"]): number {
    const [, mark = "```", language = ""] = fence.exec(lines[start] as string) ?? [];
    const indent = /^ */.exec(lines[start] as string)?.[0].length ?? 0;
    let end = start + 1;
    const close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`);
    while (end < lines.length && !close.test(lines[end] as string)) end++;
    const content = lines.slice(start + 1, end).map((line) => line.replace(new RegExp(`^ {0,${indent}}`), ""));
    blocks.push(codeBlock(content.join("\n"), language));
    return end + 1;
  }

  private indented(lines: readonly string[], start: number, blocks: Node["children"]): number {
    let end = start;
    while (end < lines.length && /^(?: {4}|\t|\s*$)/.test(lines[end] as string)) end++;
    blocks.push(codeBlock(lines.slice(start, end).map((line) => line.replace(/^(?: {4}|\t)/, "")).join("\n").trimEnd(), ""));
    return end;
  }

  private quotation(lines: readonly string[], start: number, blocks: Node["children"], depth: number): number {
    let end = start;
    while (end < lines.length && (quote.test(lines[end] as string) || ((lines[end] as string).trim() !== "" && !startsBlock(lines[end] as string)))) end++;
    blocks.push(node("blockquote", {}, this.parse(lines.slice(start, end).map((line) => line.replace(quote, "")), depth + 1)));
    return end;
  }

  private list(lines: readonly string[], start: number, blocks: Node["children"], depth: number): number {
    const [, , first = "-"] = item.exec(lines[start] as string) ?? [];
    const ordered = /\d/.test(first);
    const items: string[][] = [];
    let at = start;
    let loose = false;
    while (at < lines.length) {
      const match = item.exec(lines[at] as string);
      if (match === null || rule.test(lines[at] as string) || /\d/.test(match[2] ?? "") !== ordered || match[2]?.at(-1) !== first.at(-1)) break;
      const spaces = match[3] ?? " ";
      const width = (match[1] ?? "").length + (match[2] ?? "").length + (spaces.length > 4 ? 1 : Math.max(1, spaces.length));
      const content = [(lines[at++] as string).slice(width)];
      for (; at < lines.length; at++) {
        const line = lines[at] as string;
        const indent = /^ */.exec(line.replace(/^\t/, "    "))?.[0].length ?? 0;
        const before = content.at(-1)?.trim() ?? "";
        if (line.trim() === "") content.push("");
        else if (indent >= width) content.push(line.replace(/^\t/, "    ").slice(width));
        else if (before !== "" && !startsBlock(line) && !item.test(line)) content.push(line.trimStart());
        else break;
      }
      const trailing = content.at(-1) === "" && item.test(lines[at] ?? "");
      while (content.at(-1) === "") content.pop();
      loose ||= trailing || content.includes("");
      items.push(content);
    }
    const number = parseInt(first, 10);
    blocks.push(node(ordered ? "ol" : "ul", ordered && number !== 1 ? { start: number } : {}, items.map((content) => this.item(content, loose, depth))));
    return at;
  }

  private item(content: readonly string[], loose: boolean, depth: number): Node {
    const task = /^\[([ xX])\]\s+/.exec(content[0] ?? "");
    const lines = task === null ? content : [(content[0] ?? "").slice(task[0].length), ...content.slice(1)];
    const children = this.parse(lines, depth + 1).flatMap((child) => (!loose && typeof child !== "string" && child.tag === "p" ? child.children : [child]));
    if (task === null) return node("li", {}, children);
    const checked = task[1] !== " ";
    return node("li", { class: "task" }, [node("input", { type: "checkbox", disabled: true, checked, "aria-label": checked ? "done" : "not done" }), ...children]);
  }

  private table(lines: readonly string[], start: number, blocks: Node["children"]): number {
    const aligns = cells(lines[start + 1] as string).map((cell) => (/^:-+:$/.test(cell) ? "center" : /^-+:$/.test(cell) ? "right" : ""));
    const row = (line: string, tag: string) => {
      const found = cells(line);
      return node("tr", {}, aligns.map((align, column) => node(tag, { ...(align === "" ? {} : { class: `align-${align}` }), ...(tag === "th" ? { scope: "col" } : {}) }, inline(found[column] ?? "", this.context))));
    };
    let end = start + 2;
    while (end < lines.length && (lines[end] as string).includes("|")) end++;
    const body = lines.slice(start + 2, end).map((line) => row(line, "td"));
    const table = node("table", {}, [node("thead", {}, [row(lines[start] as string, "th")]), node("tbody", {}, body)]);
    blocks.push(node("div", { class: "table-scroll", tabIndex: 0 }, [table]));
    return end;
  }

  private paragraph(lines: readonly string[], start: number, blocks: Node["children"]): number {
    const markup = /^ {0,3}<(?:[a-z/]|!--)/i.test(lines[start] as string);
    let end = start + 1;
    while (end < lines.length && (lines[end] as string).trim() !== "" && (markup || !startsBlock(lines[end] as string))) {
      const underline = /^ {0,3}(=+|-+)\s*$/.exec(lines[end] as string);
      if (underline !== null && !markup) {
        blocks.push(this.heading((underline[1] ?? "").startsWith("=") ? 1 : 2, lines.slice(start, end).join("\n")));
        return end + 1;
      }
      end++;
    }
    // A comment may contain empty lines.
    if (/^ {0,3}<!--/.test(lines[start] as string)) while (end < lines.length && !lines.slice(start, end).some((line) => line.includes("-->"))) end++;
    const children = inline(lines.slice(start, end).map((line) => line.trimStart()).join("\n"), this.context);
    if (textOf(children).trim() !== "" || children.some((child) => typeof child !== "string")) blocks.push(node(markup ? "div" : "p", {}, children));
    return end;
  }
}

/** startsBlock reports whether a line ends a paragraph. */
function startsBlock(line: string): boolean {
  if (/^ {0,3}(?:=+|-+)\s*$/.test(line)) return false; // the underline of a heading
  return fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || /^ {0,3}(?:[-*+]|1[.)]) +\S/.test(line);
}

/** cells splits a row of a table at "|", except in code and after a backslash. */
function cells(line: string): string[] {
  const found = line.trim().replace(/^\|/, "").replace(/\|$/, "").match(/(?:\\.|`[^`]*`|[^|\\])+|(?<=\|)(?=\|)|\\$/g) ?? [];
  return found.map((cell) => cell.trim().replace(/\\\|/g, "|"));
}

function codeBlock(text: string, language: string): Node {
  const lines = highlight(text, languageOf(language));
  const children = lines.flatMap((line, index): Node["children"] => [
    ...(index === 0 ? [] : ["\n"]),
    ...line.map(({ kind, text }) => (kind === "" ? visible(text) : node("span", { class: `token-${kind}` }, [visible(text)]))),
  ]);
  return node("pre", { tabIndex: 0 }, [node("code", {}, children)]);
}

/** textOf returns the text of nodes. */
export function textOf(children: Node["children"]): string {
  return children.map((child) => (typeof child === "string" ? child : textOf(child.children))).join("");
}
