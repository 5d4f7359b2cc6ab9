import { findHunks, type Hunk } from "./hunks.js";
import { largest } from "./largest.js";
import { count } from "./phrases.js";
import { diffProse, type Segment } from "./prose-diff.js";
import { splitRows } from "./rows.js";
import { type Line, type Span, styled, type TextOptions, wrap } from "./span.js";

/** Characters of unchanged text on each side of a change: about half a line. */
const contextWidth = (width: number) => Math.max(24, Math.floor(width / 2));
const mostHunks = 40;

/** The signs before and after removed and added spans. */
type Marks = Readonly<Record<"removed" | "added", readonly [open: string, close: string]>>;

/** `[-so-]` and `{+so+}`, with more signs than the texts contain, so that no text can look like a change. */
export function marksFor(before: string, after: string): Marks {
  const runs = [before, after].flatMap((text) => text.match(/\[-+|(?<!-)-+\]|\{\++|(?<!\+)\++\}/g) ?? []);
  const length = runs.reduce((longest, { length: own }) => Math.max(longest, own), 1);
  const [minus, plus] = ["-".repeat(length), "+".repeat(length)];
  return { removed: [`[${minus}`, `${minus}]`], added: [`{${plus}`, `${plus}}`] };
}

/**
 * The differences of two texts, each with some context and its line in the new text, which starts at
 * `firstLine`. Removed and added spans have signs in addition to colours: not everybody sees colours, and copying
 * loses them.
 */
export function proseDiffText(
  before: string,
  after: string,
  margin: string,
  { width }: TextOptions,
  firstLine = 1,
): Line[] {
  const marks = marksFor(before, after);
  const hunks = findHunks(diffProse(before, after), contextWidth(width), firstLine);
  const shown = hunks.slice(0, mostHunks);
  const digits = String(
    largest(
      shown.map(({ line }) => line),
      1,
    ),
  ).length;
  const lines = shown.flatMap((hunk) => hunkLines(hunk, margin, digits, width, marks));
  const rest = hunks.length - shown.length;
  if (rest > 0) lines.push([styled(`${margin}${count(rest, "more change")}, not shown here`, "dim")]);
  return lines;
}

function hunkLines(hunk: Hunk, margin: string, digits: number, width: number, marks: Marks): Line[] {
  const rest = [styled(`${margin}${" ".repeat(digits)} │ `, "dim")];
  return linesOfHunk(hunk, marks).flatMap((line, at) =>
    wrap(line, {
      width,
      first: at === 0 ? [styled(`${margin}${String(hunk.line).padStart(digits)} │ `, "dim")] : rest,
      rest,
    }),
  );
}

function linesOfHunk({ segments, cutBefore, cutAfter }: Hunk, marks: Marks): Line[] {
  const lines: Span[][] = [cutBefore ? [styled("…", "dim")] : []];
  for (const [at, segment] of segments.entries()) {
    const startsLine = lines.at(-1)?.length === 0;
    const follows = segments[at + 1]?.text ?? "";
    const rows =
      segment.kind === "same"
        ? splitRows(segment, false).map((row) => (row === "" ? [] : [styled(row)]))
        : changedLines(segment, startsLine, follows, marks);
    for (const [row, spans] of rows.entries()) {
      if (row > 0) lines.push([]);
      lines.at(-1)?.push(...spans);
    }
  }
  if (cutAfter) lines.at(-1)?.push(styled("…", "dim"));
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/**
 * A differing line end is written as
 * , except after words in lines that differ as a whole, where it is obvious. Each line has its own marks, so
 * that no mark or colour extends over a margin.
 */
function changedLines(segment: Segment, startsLine: boolean, follows: string, marks: Marks): Span[][] {
  const kind = segment.kind === "added" ? "added" : "removed";
  const [open, close] = marks[kind];
  const wholeLines = startsLine && segment.text.endsWith("\n") && segment.text.trim() !== "";
  return splitRows(segment, /^\r?\n/.test(follows)).map((row, at, rows) => {
    const ends = at < rows.length - 1 && (!wholeLines || row === "");
    const shown = ends ? `${row}⏎` : row;
    if (shown === "") return [];
    return [styled(`${open}${shown}${close}`, kind)];
  });
}
