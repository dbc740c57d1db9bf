// Lists of commits: rows with a graph, of which only those in view are in the document.
import type { Commit } from "makechain/git";
import { useEffect, useRef, useState } from "preact/hooks";
import { Ago } from "../components/index.js";
import type { Row } from "../graph.js";
import { href } from "../route.js";
import { titleOf } from "./parts.js";
import { visible } from "../format.js";

/** The height of a row and the width of a lane, in pixels. */
const rowHeight = 44;
const laneWidth = 14;

/** How many lanes are drawn. */
const maxLanes = 16;

/** How many rows above and below the visible ones are in the document. */
const overscan = 12;

/** Listed is what is kept of a commit in a list. */
export interface Listed {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly time: number;
  readonly row: Row | undefined;
}

/** listed returns what a list shows of a commit. */
export function listed(commit: Commit, row?: Row): Listed {
  return { id: commit.id, title: titleOf(commit.message), author: visible(commit.author.name.slice(0, 60)), time: commit.committer.time, row };
}

interface CommitListProps {
  readonly commits: readonly Listed[];
  readonly base: readonly string[];
  /** Names of refs by commit. */
  readonly refs?: ReadonlyMap<string, readonly string[]>;
  /** Called when the end of the list comes into view. */
  readonly end?: (() => void) | undefined;
}

/** CommitList shows commits, with their graph if they have one. The list is as high as all its rows, but only rows in view are elements. */
export function CommitList({ commits, base, refs, end }: CommitListProps) {
  const frame = useRef<HTMLOListElement>(null);
  const [range, setRange] = useState({ from: 0, to: 40 });
  useEffect(() => {
    const update = () => {
      const top = frame.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / rowHeight) - overscan);
      const to = Math.ceil((innerHeight - top) / rowHeight) + overscan;
      setRange((last) => (last.from === from && last.to === to ? last : { from, to }));
      if (to >= commits.length) end?.();
    };
    update();
    addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    return () => {
      removeEventListener("scroll", update);
      removeEventListener("resize", update);
    };
  }, [commits.length, end]);
  const shown = commits.slice(range.from, range.to);
  const lanes = Math.min(maxLanes, Math.max(0, ...shown.map(({ row }) => row?.width ?? 0)));
  return (
    <ol ref={frame} class="commit-list plain" start={range.from + 1} style={{ height: `${commits.length * rowHeight}px` }} data-testid="commits">
      {shown.map((commit, index) => (
        <li key={commit.id} class="commit-row" style={{ top: `${(range.from + index) * rowHeight}px`, height: `${rowHeight}px` }} aria-posinset={range.from + index + 1} aria-setsize={commits.length}>
          {commit.row !== undefined && <GraphRow row={commit.row} width={lanes} />}
          <div class="commit-text">
            <a href={href([...base, "commit", commit.id])} class="commit-title">{commit.title}</a>
            <span class="commit-meta muted small">
              {refs?.get(commit.id)?.slice(0, 3).map((name) => <span key={name} class="ref-label">{name}</span>)}
              <span class="commit-author">{commit.author}</span> · <Ago time={commit.time} />
            </span>
          </div>
          <code class="commit-id muted">{commit.id.slice(0, 8)}</code>
        </li>
      ))}
    </ol>
  );
}

const x = (lane: number) => laneWidth * lane + laneWidth / 2 + 1;

/** GraphRow draws one row of the graph: lines that pass, lines from the children above, and lines to the parents below. */
function GraphRow({ row, width }: { readonly row: Row; readonly width: number }) {
  const middle = rowHeight / 2;
  const line = (fromX: number, fromY: number, toX: number, toY: number) => {
    const half = (fromY + toY) / 2;
    return fromX === toX ? `M${fromX} ${fromY}V${toY}` : `M${fromX} ${fromY}C${fromX} ${half} ${toX} ${half} ${toX} ${toY}`;
  };
  const visibleLane = (lane: number) => lane < maxLanes;
  return (
    <svg class="graph" width={width * laneWidth + 2} height={rowHeight} aria-hidden="true">
      {row.passing.filter(([above]) => visibleLane(above)).map(([above, below]) => <path key={above} class={`lane-${above % 6}`} d={line(x(above), 0, x(below), rowHeight)} />)}
      {row.children.filter(visibleLane).map((lane) => <path key={`c${lane}`} class={`lane-${lane % 6}`} d={line(x(lane), 0, x(row.lane), middle)} />)}
      {row.parents.filter(visibleLane).map((lane) => <path key={`p${lane}`} class={`lane-${lane % 6}`} d={line(x(row.lane), middle, x(lane), rowHeight)} />)}
      {visibleLane(row.lane) && <circle class={`lane-${row.lane % 6}`} cx={x(row.lane)} cy={middle} r={4} />}
    </svg>
  );
}
