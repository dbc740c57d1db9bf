// Source code with line numbers.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { count, visible } from "../format.js";
import { highlight, languageOf, type Token } from "../highlight.js";

/** How many characters of a line are shown. */
const maxLine = 5_000;

/** The size of a text that is highlighted. */
const maxHighlighted = 512_000;

/** Lines are the tokens of a text by line. */
export function tokensOf(text: string, name: string): Token[][] {
  return highlight(text, text.length > maxHighlighted ? undefined : languageOf(name));
}

/** Tokens shows the tokens of one line. Characters without a width are visible, and a very long line is cut. */
export function Tokens({ of: tokens }: { readonly of: readonly Token[] }) {
  let left = maxLine;
  const shown: Token[] = [];
  let cut = 0;
  for (const token of tokens) {
    if (left > 0) shown.push(token.text.length > left ? { ...token, text: token.text.slice(0, left) } : token);
    cut += Math.max(0, token.text.length - Math.max(0, left));
    left -= token.text.length;
  }
  return (
    <>
      {shown.map(({ kind, text }, index) => (kind === "" ? visible(text) : <span key={index} class={`token-${kind}`}>{visible(text)}</span>))}
      {cut > 0 && <span class="cut">… {count(cut)} characters more</span>}
    </>
  );
}

/** parseLines parses "10" and "10-20". */
export function parseLines(text: string | null): { from: number; to: number } | undefined {
  const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text ?? "");
  if (match === null) return undefined;
  const from = Number(match[1]), to = Number(match[2] ?? match[1]);
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

interface CodeProps {
  readonly text: string;
  readonly name: string;
  /** The lines that are marked. */
  readonly marked: { from: number; to: number } | undefined;
  /** Returns the link that marks lines. */
  readonly link: (lines: string) => string;
}

/** Code shows a text with line numbers, which are links; with the shift key they mark until there. */
export function Code({ text, name, marked, link }: CodeProps) {
  const first = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => tokensOf(text.replace(/\r?\n$/, ""), name), [text, name]);
  useEffect(() => {
    first.current?.scrollIntoView({ block: "center" });
  }, []);
  const mark = (event: MouseEvent, line: number) => {
    if (!event.shiftKey || marked === undefined) return;
    event.preventDefault();
    location.hash = link(`${Math.min(marked.from, line)}-${Math.max(marked.to, line)}`);
  };
  return (
    <div class="code" style={{ "--digits": `${String(lines.length).length}ch` }} tabIndex={0} role="region" aria-label="File content">
      {lines.map((tokens, index) => {
        const line = index + 1;
        const on = marked !== undefined && line >= marked.from && line <= marked.to;
        return (
          <div key={line} class={on ? "code-line marked" : "code-line"} ref={line === marked?.from ? first : null}>
            <a class="line-number" href={link(String(line))} aria-label={`Line ${line}`} data-line={line} onClick={(event) => mark(event, line)} />
            <code><Tokens of={tokens} /></code>
          </div>
        );
      })}
    </div>
  );
}
