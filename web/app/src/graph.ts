// The layout of a commit graph: which lane each commit is in, and which lines lead to the next row. It is computed row by row, so that a long
// history can be laid out as it is read.

/** Row is one row of the graph: the lane of its commit, and lines between lanes. */
export interface Row {
  readonly lane: number;
  /** Lines that pass the row without touching its commit: the lane at its upper and lower edge. */
  readonly passing: readonly (readonly [above: number, below: number])[];
  /** Lanes at the upper edge that lead to the commit: from its children. */
  readonly children: readonly number[];
  /** Lanes at the lower edge that the commit leads to: its parents. */
  readonly parents: readonly number[];
  /** How many lanes the row has. */
  readonly width: number;
}

/** Graph lays out commits in an order in which parents follow their children. */
export class Graph {
  /** The commit that each lane leads to. */
  private lanes: (string | undefined)[] = [];
  private readonly shown = new Set<string>();

  /** add returns the row of the next commit. A parent that was shown already (its date is wrong) gets no line. */
  add(id: string, parents: readonly string[]): Row {
    this.shown.add(id);
    const above = this.lanes;
    const children = above.flatMap((target, lane) => (target === id ? [lane] : []));
    const lane = children[0] ?? free(above);
    const below = above.map((target) => (target === id ? undefined : target));
    const bends = new Map<number, number>();
    const leads: number[] = [];
    for (const parent of parents) {
      if (this.shown.has(parent)) continue;
      let at = below.indexOf(parent);
      const own = below[lane] === undefined;
      if (at > lane && own) {
        // The commit's own lane continues, and the line of another child joins it.
        bends.set(at, lane);
        below[at] = undefined;
        at = lane;
      } else if (at < 0) {
        at = own ? lane : free(below);
      }
      below[at] = parent;
      if (!leads.includes(at)) leads.push(at);
    }
    const passing = above.flatMap((target, at) => (target === undefined || target === id ? [] : [[at, bends.get(at) ?? at] as const]));
    while (below.length > 0 && below.at(-1) === undefined) below.pop();
    this.lanes = below;
    return { lane, passing, children, parents: leads, width: Math.max(above.length, below.length, lane + 1) };
  }
}

function free(lanes: readonly (string | undefined)[]): number {
  const index = lanes.indexOf(undefined);
  return index < 0 ? lanes.length : index;
}
