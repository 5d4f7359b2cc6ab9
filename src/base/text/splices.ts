/** A replacement of the range from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices to a string. Duplicates count once. Returns undefined if two splices overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string | undefined {
  let result = "";
  let copied = 0;
  const all = new Map(splices.map((splice) => [`${splice.start} ${splice.end} ${splice.text}`, splice]));
  for (const { start, end, text: inserted } of [...all.values()].sort((a, b) => a.start - b.start)) {
    if (start < copied) return undefined;
    result += text.slice(copied, start) + inserted;
    copied = end;
  }
  return result + text.slice(copied);
}
