import { type Hunk, hunksOf } from "./hunks.js";
import { count } from "./phrases.js";
import { type Line, type Piece, say, type TextOptions, wrap } from "./piece.js";
import { diffProse, type Segment } from "./prose-diff.js";
import { rowsOf } from "./stretch.js";

/** Characters of unchanged text shown on each side of a change: about half a line. */
const contextOf = (width: number) => Math.max(24, Math.floor(width / 2));
const mostHunks = 40;

/**
 * The differences of two texts, each with a little of its surroundings and its line in the new text. Removed and
 * added stretches are coloured, or without colour written `[-so-]` and `{+so+}`.
 */
export function proseDiffText(before: string, after: string, margin: string, options: TextOptions): Line[] {
  const hunks = hunksOf(diffProse(before, after), contextOf(options.width));
  const shown = hunks.slice(0, mostHunks);
  const digits = String(Math.max(1, ...shown.map(({ line }) => line))).length;
  const lines = shown.flatMap((hunk) => hunkLines(hunk, margin, digits, options));
  const rest = hunks.length - shown.length;
  if (rest > 0) lines.push([say(`${margin}${count(rest, "more change")}, not shown here`, "dim")]);
  return lines;
}

function hunkLines(hunk: Hunk, margin: string, digits: number, { color, width }: TextOptions): Line[] {
  const rest = [say(`${margin}${" ".repeat(digits)} │ `, "dim")];
  return linesOfHunk(hunk, color).flatMap((line, at) =>
    wrap(line, {
      width,
      first: at === 0 ? [say(`${margin}${String(hunk.line).padStart(digits)} │ `, "dim")] : rest,
      rest,
    }),
  );
}

function linesOfHunk({ segments, cutBefore, cutAfter }: Hunk, color: boolean): Line[] {
  const lines: Piece[][] = [cutBefore ? [say("…", "dim")] : []];
  for (const [at, segment] of segments.entries()) {
    const startsLine = lines.at(-1)?.length === 0;
    const follows = segments[at + 1]?.text ?? "";
    const rows =
      segment.kind === "same"
        ? rowsOf(segment, false).map((row) => (row === "" ? [] : [say(row)]))
        : changedLines(segment, startsLine, follows, color);
    for (const [row, pieces] of rows.entries()) {
      if (row > 0) lines.push([]);
      lines.at(-1)?.push(...pieces);
    }
  }
  if (cutAfter) lines.at(-1)?.push(say("…", "dim"));
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/**
 * A line end that differs is written ⏎, except at the end of words in lines that differ as a whole, where it is a
 * matter of course. Each line is marked by itself, so that no mark or colour reaches over a margin.
 */
function changedLines(segment: Segment, startsLine: boolean, follows: string, color: boolean): Piece[][] {
  const [open, close] = segment.kind === "added" ? ["{+", "+}"] : ["[-", "-]"];
  const wholeLines = startsLine && segment.text.endsWith("\n") && segment.text.trim() !== "";
  return rowsOf(segment, /^\r?\n/.test(follows)).map((row, at, rows) => {
    const ends = at < rows.length - 1 && (!wholeLines || row === "");
    const shown = ends ? `${row}⏎` : row;
    if (shown === "") return [];
    return [say(color ? shown : `${open}${shown}${close}`, segment.kind === "added" ? "added" : "removed")];
  });
}
