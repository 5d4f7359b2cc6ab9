import type { ShownLocation } from "../documents/index.js";
import { clip, countCells, fitCharacters } from "./cells.js";
import { splitGraphemes } from "./characters.js";
import { makeVisible } from "./visible.js";

/**
 * Shortens a source line to `width`, keeping the marked range visible. Returns the range's position in terminal
 * columns. Tabs and invisible characters are replaced before measuring.
 */
export function cutExcerpt(
  { text, column, length, text_column = 1 }: ShownLocation,
  width: number,
): { text: string; start: number; length: number } {
  const at = column - text_column;
  const parts = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  const [before = "", meant = "", after = ""] = parts.map((part) =>
    makeVisible(part.replaceAll("\t", "    ")),
  );
  const middle = clip(meant, Math.max(8, Math.floor(width / 2), width - countCells(before + after)));
  const side = width - countCells(middle);
  const left = cutStart(before, Math.max(side - countCells(after), Math.ceil(side / 2)));
  const right = clip(after, side - countCells(left));
  return { text: left + middle + right, start: countCells(left), length: Math.max(1, countCells(middle)) };
}

/** Truncates text at its start, marking the cut with "…". */
function cutStart(text: string, width: number): string {
  if (countCells(text) <= width) return text;
  return `…${fitCharacters(splitGraphemes(text).reverse(), width - 1)
    .toReversed()
    .join("")}`;
}
