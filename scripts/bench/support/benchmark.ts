/** Benchmark that prints its results as tables. */
export interface Benchmark {
  readonly name: string;
  /** Description in the usage, such as "time of commands by project size". */
  readonly measures: string;
  run(): Promise<void>;
}

/** Runs every case once per round and returns the results. An extra first round only warms the file caches. */
export async function alternate<Result>(
  rounds: number,
  cases: Readonly<Record<string, () => Promise<Result>>>,
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const results = new Map<string, Result[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, run] of Object.entries(cases)) {
      const result = await run();
      if (round > 0) results.get(name)?.push(result);
    }
  return results;
}

/** Returns a row for each case, with its median in ms and the ratio to the first case. */
export function compareMedians(times: ReadonlyMap<string, readonly number[]>): string[][] {
  const [first = Number.NaN] = [...times.values()].map(computeMedian);
  return [...times].map(([name, all]) => [
    name,
    computeMedian(all).toFixed(0),
    (computeMedian(all) / first).toFixed(2),
  ]);
}

export function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints a Markdown table to paste into a note. */
export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = cells;
  console.log(`\n${title}\n`);
  console.log([line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n"));
}
