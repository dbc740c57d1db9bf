// Line differences. Lines that occur once in both texts are matched first (patience), then what is between them is compared with Myers'
// algorithm. Both are bounded: regions that differ too much are shown as replaced.

/** Edit replaces the lines [oldStart, oldEnd) by the lines [newStart, newEnd). */
export interface Edit {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

export interface DiffLine {
  readonly kind: "added" | "deleted" | "same";
  /** Line numbers, from 1. */
  readonly old: number | undefined;
  readonly now: number | undefined;
  /** The line with its line feed, which the last line may lack. */
  readonly text: string;
}

/** Hunk is a part of a unified diff. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly lines: readonly DiffLine[];
}

/** How many insertions and deletions Myers' algorithm looks for in one region: it needs the square of it in memory. */
const maxDistance = 600;

/** How deeply regions are divided by unique lines. */
const maxDepth = 32;

/** splitLines splits a text after its line feeds. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** diffLines returns the edits that turn one list of lines into another, in order and not adjacent to each other. */
export function diffLines(old: readonly string[], now: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  const emit = (edit: Edit) => {
    const last = edits.at(-1);
    if (last !== undefined && last.oldEnd === edit.oldStart && last.newEnd === edit.newStart) {
      edits[edits.length - 1] = { ...last, oldEnd: edit.oldEnd, newEnd: edit.newEnd };
    } else {
      edits.push(edit);
    }
  };
  // Lines are compared as numbers.
  const ids = new Map<string, number>();
  const number = (line: string) => ids.get(line) ?? (ids.set(line, ids.size), ids.size - 1);
  const region = { a: Int32Array.from(old, number), b: Int32Array.from(now, number) };
  compare(region, { oldStart: 0, oldEnd: old.length, newStart: 0, newEnd: now.length }, 0, emit);
  return edits;
}

interface Texts {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

function compare({ a, b }: Texts, range: Edit, depth: number, emit: (edit: Edit) => void): void {
  let { oldStart, oldEnd, newStart, newEnd } = range;
  while (oldStart < oldEnd && newStart < newEnd && a[oldStart] === b[newStart]) oldStart++, newStart++;
  while (oldStart < oldEnd && newStart < newEnd && a[oldEnd - 1] === b[newEnd - 1]) oldEnd--, newEnd--;
  const rest = { oldStart, oldEnd, newStart, newEnd };
  if (oldStart === oldEnd || newStart === newEnd) {
    if (oldStart !== oldEnd || newStart !== newEnd) emit(rest);
    return;
  }
  const anchors = depth < maxDepth ? uniqueMatches({ a, b }, rest) : [];
  if (anchors.length === 0) return myers({ a, b }, rest, emit);
  let from = { old: oldStart, now: newStart };
  for (const [i, j] of [...anchors, [oldEnd, newEnd] as const]) {
    compare({ a, b }, { oldStart: from.old, oldEnd: i, newStart: from.now, newEnd: j }, depth + 1, emit);
    from = { old: i + 1, now: j + 1 };
  }
}

/** uniqueMatches returns lines that occur once in each region, as many as are in the same order in both. */
function uniqueMatches({ a, b }: Texts, { oldStart, oldEnd, newStart, newEnd }: Edit): (readonly [number, number])[] {
  const counts = new Map<number, { old: number; now: number; at: number; to: number }>();
  for (let i = oldStart; i < oldEnd; i++) {
    const found = counts.get(a[i] as number);
    if (found === undefined) counts.set(a[i] as number, { old: 1, now: 0, at: i, to: -1 });
    else found.old++;
  }
  for (let j = newStart; j < newEnd; j++) {
    const found = counts.get(b[j] as number);
    if (found !== undefined) (found.now++, (found.to = j));
  }
  // The longest increasing subsequence of the positions in b: tails[n] ends the best sequence of length n + 1.
  const pairs = [...counts.values()].filter(({ old, now }) => old === 1 && now === 1);
  const tails: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  const to = (index: number | undefined) => (index === undefined ? -1 : (pairs[index]?.to ?? -1));
  pairs.forEach((pair, index) => {
    let low = 0;
    for (let high = tails.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (to(tails[middle]) < pair.to) low = middle + 1;
      else high = middle;
    }
    before[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  });
  const matches: (readonly [number, number])[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] as number) {
    const pair = pairs[index];
    if (pair !== undefined) matches.push([pair.at, pair.to]);
  }
  return matches.reverse();
}

/** myers finds a shortest edit script by its furthest reaching paths. A region that needs more than maxDistance edits is one edit. */
function myers({ a, b }: Texts, range: Edit, emit: (edit: Edit) => void): void {
  const { oldStart, newStart } = range;
  const n = range.oldEnd - oldStart, m = range.newEnd - newStart;
  const limit = Math.min(n + m, maxDistance);
  const paths: Int32Array[] = []; // for each distance the x of the diagonals -distance ... distance
  const x = (path: Int32Array | undefined, distance: number, k: number) => path?.[k + distance] ?? -1;
  let found = -1;
  for (let d = 0; d <= limit && found < 0; d++) {
    const path = new Int32Array(2 * d + 1);
    const last = paths[d - 1];
    for (let k = -d; k <= d; k += 2) {
      let i = d === 0 ? 0 : k === -d || (k !== d && x(last, d - 1, k - 1) < x(last, d - 1, k + 1)) ? x(last, d - 1, k + 1) : x(last, d - 1, k - 1) + 1;
      while (i < n && i - k < m && a[oldStart + i] === b[newStart + i - k]) i++;
      path[k + d] = i;
      if (i >= n && i - k >= m) found = d;
    }
    paths.push(path);
  }
  if (found < 0) return emit(range);
  const steps: Edit[] = [];
  for (let d = found, k = n - m; d > 0; d--) {
    const last = paths[d - 1];
    const down = k === -d || (k !== d && x(last, d - 1, k - 1) < x(last, d - 1, k + 1));
    const from = down ? k + 1 : k - 1;
    const i = oldStart + x(last, d - 1, from), j = newStart + x(last, d - 1, from) - from;
    steps.push({ oldStart: i, oldEnd: down ? i : i + 1, newStart: j, newEnd: down ? j + 1 : j });
    k = from;
  }
  steps.reverse().forEach(emit);
}

/** hunks groups edits with the lines around them. */
export function hunks(old: readonly string[], now: readonly string[], edits: readonly Edit[], context = 3): Hunk[] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && edit.oldStart - last.oldEnd <= 2 * context) groups.at(-1)?.push(edit);
    else groups.push([edit]);
  }
  return groups.map((group) => {
    const lines: DiffLine[] = [];
    const first = group[0] as Edit, end = group.at(-1) as Edit;
    const oldStart = Math.max(0, first.oldStart - context), newStart = first.newStart - (first.oldStart - oldStart);
    let i = oldStart, j = newStart;
    const same = (until: number) => {
      for (; i < until; i++, j++) lines.push({ kind: "same", old: i + 1, now: j + 1, text: old[i] as string });
    };
    for (const edit of group) {
      same(edit.oldStart);
      for (; i < edit.oldEnd; i++) lines.push({ kind: "deleted", old: i + 1, now: undefined, text: old[i] as string });
      for (; j < edit.newEnd; j++) lines.push({ kind: "added", old: undefined, now: j + 1, text: now[j] as string });
    }
    same(Math.min(old.length, end.oldEnd + context));
    return { oldStart, oldCount: i - oldStart, newStart, newCount: j - newStart, lines };
  });
}

/** hunkHeader returns the line "@@ -1,2 +3,4 @@". */
export function hunkHeader({ oldStart, oldCount, newStart, newCount }: Hunk): string {
  const range = (start: number, count: number) => `${count === 0 ? start : start + 1},${count}`;
  return `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
}

/** Side is a line of a side-by-side view: what was on the left, what is on the right. */
export interface Side {
  readonly left: DiffLine | undefined;
  readonly right: DiffLine | undefined;
}

/** sides arranges the lines of a hunk side by side: deleted lines next to the added lines that replace them. */
export function sides({ lines }: Hunk): Side[] {
  const result: Side[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as DiffLine;
    if (line.kind === "same") {
      result.push({ left: line, right: line });
      i++;
      continue;
    }
    const deleted: DiffLine[] = [], added: DiffLine[] = [];
    for (; lines[i]?.kind === "deleted"; i++) deleted.push(lines[i] as DiffLine);
    for (; lines[i]?.kind === "added"; i++) added.push(lines[i] as DiffLine);
    for (let n = 0; n < Math.max(deleted.length, added.length); n++) result.push({ left: deleted[n], right: added[n] });
  }
  return result;
}
