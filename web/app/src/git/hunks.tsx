// Parts of a file that changed, below each other or side by side.
import { useMemo } from "preact/hooks";
import { type DiffLine, type Hunk, hunkHeader, sides } from "../diff.js";
import type { Token } from "../highlight.js";
import { Tokens, tokensOf } from "./code.js";

export type Layout = "split" | "unified";

interface HunksProps {
  readonly hunks: readonly Hunk[];
  /** The complete texts, for highlighting. */
  readonly old: string;
  readonly now: string;
  readonly name: string;
  readonly layout: Layout;
}

/** Hunks shows the parts of a file that changed. */
export function Hunks({ hunks, old, now, name, layout }: HunksProps) {
  const left = useMemo(() => tokensOf(old, name), [old, name]);
  const right = useMemo(() => tokensOf(now, name), [now, name]);
  const tokens = ({ old, now, text }: DiffLine): readonly Token[] =>
    (now !== undefined ? right[now - 1] : old !== undefined ? left[old - 1] : undefined) ?? [{ kind: "", text }];
  return (
    <div class="diff-scroll" tabIndex={0} role="region" aria-label="Changed lines">
      <table class={`diff-table diff-${layout}`}>
        <colgroup>{layout === "unified" ? <><col class="number" /><col class="number" /><col /></> : <><col class="number" /><col /><col class="number" /><col /></>}</colgroup>
        <thead class="hidden">
          {layout === "unified" ? (
            <tr><th scope="col">Old line</th><th scope="col">New line</th><th scope="col">Content</th></tr>
          ) : (
            <tr><th scope="col">Old line</th><th scope="col">Before</th><th scope="col">New line</th><th scope="col">After</th></tr>
          )}
        </thead>
        {hunks.map((hunk) => (
          <tbody key={hunk.oldStart}>
            <tr class="diff-hunk"><td colSpan={layout === "unified" ? 3 : 4}>{hunkHeader(hunk)}</td></tr>
            {layout === "unified"
              ? hunk.lines.map((line, index) => <Unified key={index} line={line} tokens={tokens(line)} />)
              : sides(hunk).map(({ left, right }, index) => (
                  <tr key={index}>
                    <Half line={left} number={left?.old} tokens={left === undefined ? [] : tokens(left)} />
                    <Half line={right} number={right?.now} tokens={right === undefined ? [] : tokens(right)} />
                  </tr>
                ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const signs = { added: "+", deleted: "−", same: " " } as const;
const missing = "No line feed at the end of the file";

function Unified({ line, tokens }: { readonly line: DiffLine; readonly tokens: readonly Token[] }) {
  return (
    <tr class={`diff-${line.kind}`}>
      <td class="diff-number" data-line={line.old} />
      <td class="diff-number" data-line={line.now} />
      <td class="diff-text" data-sign={signs[line.kind]}>
        {line.kind !== "same" && <span class="hidden">{line.kind}: </span>}
        <code><Tokens of={tokens} /></code>
        {!line.text.endsWith("\n") && <span class="cut">{missing}</span>}
      </td>
    </tr>
  );
}

function Half({ line, number, tokens }: { readonly line: DiffLine | undefined; readonly number: number | undefined; readonly tokens: readonly Token[] }) {
  if (line === undefined) return <><td class="diff-number" /><td class="diff-none" /></>;
  return (
    <>
      <td class={`diff-number diff-${line.kind}`} data-line={number} />
      <td class={`diff-text diff-${line.kind}`} data-sign={signs[line.kind]}>
        <code><Tokens of={tokens} /></code>
        {!line.text.endsWith("\n") && <span class="cut">{missing}</span>}
      </td>
    </>
  );
}
