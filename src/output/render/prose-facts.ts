import { count, number } from "./phrases.js";
import { placeholder } from "./words.js";

/** Lines that moved. */
interface MovedPart {
  /** Our words: "moved from line 1 to line 4". */
  readonly where: string;
  /** How they begin; foreign text. Absent where several parts are summed up as one. */
  readonly text?: string;
}

/** Facts about a new text that a diff does not make obvious. */
export interface ProseFacts {
  /** Our sentences about probable accidents. */
  readonly accidents: readonly string[];
  /** Moved lines: in the diff they are removed in one place and added in another. */
  readonly moved: readonly MovedPart[];
  /**
   * Those that were added or removed; foreign text. The service fills in `${name}` at session start: they change what callers
   * must send.
   */
  readonly placeholders: Readonly<Record<"added" | "removed", readonly string[]>>;
}

/** Compares whole texts. `before` is undefined if unknown; the new text starts at `firstLine`. */
export function proseFacts(before: string | undefined, after: string, firstLine = 1): ProseFacts {
  const accidents = [doubling(before, after)];
  if (before !== undefined) accidents.push(cutOff(before, after), invisible(before, after));
  return {
    accidents: accidents.filter((accident) => accident !== undefined),
    moved: before === undefined ? [] : movedParts(before, after, firstLine),
    placeholders: {
      added: missingIn(before ?? "", after),
      removed: missingIn(after, before ?? ""),
    },
  };
}

const mostMoved = 5;

function movedParts(before: string, after: string, firstLine: number): MovedPart[] {
  const moved = movedLines(before, after);
  const lines = after.split("\n");
  const parts = moved.slice(0, mostMoved).map(({ from, to, lines: many }) => ({
    where: `moved from ${describeRange(from + firstLine - 1, many)} to ${describeRange(to + firstLine - 1, many)}`,
    text: lines[to - 1]?.trim() ?? "",
  }));
  const rest = moved.length - mostMoved;
  return rest > 0 ? [...parts, { where: `also moved: ${count(rest, "more part")}` }] : parts;
}

function describeRange(line: number, lines: number): string {
  return lines === 1 ? `line ${number(line)}` : `lines ${number(line)}–${number(line + lines - 1)}`;
}

/** Whether two texts differ only invisibly, and in what. */
function invisible(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const plain = (text: string) => text.replaceAll("\r\n", "\n");
  if (plain(before) === plain(after)) {
    return `only line endings differ: ${lineEnding(before)} before, ${lineEnding(after)} after`;
  }
  if (before.normalize("NFC") === after.normalize("NFC")) {
    return "only the Unicode normalization differs: the same letters, composed differently";
  }
  return looksAlike(before, after) ? "only spaces, line breaks or invisible characters differ" : undefined;
}

/** Ends at the first difference, and copies nothing. */
function looksAlike(before: string, after: string): boolean {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const visible = (text: string) => text.slice(same).matchAll(/[^\s\p{Default_Ignorable_Code_Point}]/gu);
  const rest = visible(after);
  for (const [character] of visible(before)) if (rest.next().value?.[0] !== character) return false;
  return rest.next().done === true;
}

function lineEnding(text: string): string {
  const windows = text.split("\r\n").length - 1;
  const all = text.split("\n").length - 1;
  return windows === 0 ? "LF" : windows === all ? "CRLF" : "LF and CRLF mixed";
}

/** A prompt pasted into itself is the most common accident of manual edits. */
function doubling(before: string | undefined, after: string): string | undefined {
  if (repeatsItself(after) && !(before !== undefined && repeatsItself(before))) {
    return "the second half repeats the first: pasted twice?";
  }
  const times = after.length / (before?.length ?? 0);
  if (before === undefined || before.length < 200 || times < 1.9 || times > 2.1) return undefined;
  return "the text is about twice as long as before: pasted twice?";
}

function repeatsItself(text: string): boolean {
  const trimmed = text.trim();
  const half = Math.floor(trimmed.length / 2);
  // Up to four characters of space between the halves: a blank line, or two with CRLF.
  return [0, 1, 2].some((less) => {
    const length = half - less;
    if (length < 40) return false;
    const between = trimmed.slice(length, trimmed.length - length);
    return between.trim() === "" && trimmed.startsWith(trimmed.slice(-length));
  });
}

function cutOff(before: string, after: string): string | undefined {
  if (after === "" || after.length >= before.length || !before.startsWith(after)) return undefined;
  return "the new text is the old one with its end cut off";
}

/** The placeholders of a text that another one does not have. */
function missingIn(other: string, text: string): string[] {
  const known = placeholders(other);
  return [...placeholders(text)].filter((name) => !known.has(name));
}

function placeholders(text: string): Set<string> {
  return new Set(text.match(new RegExp(placeholder, "g")));
}

/** Lines that moved to another place in the new text; 1-based. */
interface MovedLine {
  readonly from: number;
  readonly to: number;
  /** The number of lines, with short and blank ones between them. */
  readonly lines: number;
}

/** Shorter lines often occur several times, unless they are paragraphs. */
const shortest = 20;

/**
 * Lines that are in both texts once and changed their order: those outside the longest sequence that kept its
 * order. The lines beside them that moved with them, however short, belong to them.
 */
export function movedLines(before: string, after: string): MovedLine[] {
  const places = findPlaces(before);
  const both = [...findPlaces(after)].flatMap(([line, to]) => {
    const from = places.get(line);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  const kept = longestIncreasing(both.map(({ from }) => from));
  const [old, now] = [trimmedLines(before), trimmedLines(after)];
  return both.flatMap(({ from, to }, at) => {
    const moved = (by: number) => old[from + by - 1] !== undefined && old[from + by - 1] === now[to + by - 1];
    if (kept.has(at) || !moved(0)) return [];
    let [start, end] = [0, 1];
    while (moved(start - 1)) start -= 1;
    while (moved(end)) end += 1;
    while (now[to + start - 1] === "") start += 1;
    while (now[to + end - 2] === "") end -= 1;
    // They are done: nothing equals them any more, as no trimmed line begins with a space.
    old.fill(" old", from + start - 1, from + end - 1);
    now.fill(" new", to + start - 1, to + end - 1);
    return [{ from: from + start, to: to + start, lines: end - start }];
  });
}

/** The position of each line, in the order of the text; undefined for lines that occur several times. */
function findPlaces(text: string): Map<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  const lines = trimmedLines(text);
  for (const [at, bare] of lines.entries()) {
    const isParagraph = bare !== "" && !lines[at - 1] && !lines[at + 1];
    if (isParagraph || bare.length >= shortest) places.set(bare, places.has(bare) ? undefined : at + 1);
  }
  return places;
}

function trimmedLines(text: string): string[] {
  return text.split("\n").map((line) => line.trim());
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
