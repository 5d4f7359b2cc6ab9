/** Lines that moved to another place in the new text; 1-based. */
export interface MovedLine {
  readonly from: number;
  readonly to: number;
  /** The number of lines, including blank ones between them. */
  readonly lines: number;
}

/** Shorter lines often occur several times. */
const shortest = 20;

/**
 * Lines that are in both texts once and changed their order: those outside the longest sequence that kept its
 * order. Adjacent lines that moved together count as one.
 */
export function movedLines(before: string, after: string): MovedLine[] {
  const old = findPlaces(before);
  const both = [...findPlaces(after)].flatMap(([line, to]) => {
    const from = old.get(line);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  const kept = longestIncreasing(both.map(({ from }) => from));
  const moved: MovedLine[] = [];
  for (const [at, { from, to }] of both.entries()) {
    if (kept.has(at)) continue;
    const last = moved.at(-1);
    const gap = last && to - last.to;
    if (last && gap === from - last.from && gap <= last.lines + 1)
      moved.splice(-1, 1, { ...last, lines: gap + 1 });
    else moved.push({ from, to, lines: 1 });
  }
  return moved;
}

/** The position of each line, in the order of the text; undefined for lines that occur several times. */
function findPlaces(text: string): Map<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  for (const [at, line] of text.split("\n").entries()) {
    const bare = line.trim();
    if (bare.length >= shortest) places.set(bare, places.has(bare) ? undefined : at + 1);
  }
  return places;
}

/** The indices of a longest increasing subsequence, by patience sorting: n log n. */
function longestIncreasing(values: readonly number[]): ReadonlySet<number> {
  const tails: number[] = [];
  const before = values.map((value, at) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    tails[low] = at;
    return low > 0 ? tails[low - 1] : undefined;
  });
  const run = new Set<number>();
  for (let at = tails.at(-1); at !== undefined; at = before[at]) run.add(at);
  return run;
}
