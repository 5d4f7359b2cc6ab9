import type { ShownPlace } from "../documents/index.js";
import { cells, clip, fitting } from "./cells.js";
import { graphemes } from "./characters.js";
import { visible } from "./visible.js";

/**
 * Cuts a source line to a width around the marked range, and returns the range's position in it, in terminal columns. Tabs
 * and invisible characters are replaced before measuring.
 */
export function excerpt(
  { text, column, length, text_column = 1 }: ShownPlace,
  width: number,
): { text: string; start: number; length: number } {
  const at = column - text_column;
  const parts = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
  const [before = "", meant = "", after = ""] = parts.map((part) => visible(part.replaceAll("\t", "    ")));
  const middle = clip(meant, Math.max(8, Math.floor(width / 2), width - cells(before + after)));
  const side = width - cells(middle);
  const left = cutStart(before, Math.max(side - cells(after), Math.ceil(side / 2)));
  const right = clip(after, side - cells(left));
  return { text: left + middle + right, start: cells(left), length: Math.max(1, cells(middle)) };
}

/** Truncates a text at its start, with "…". */
function cutStart(text: string, width: number): string {
  if (cells(text) <= width) return text;
  return `…${fitting(graphemes(text).reverse(), width - 1)
    .toReversed()
    .join("")}`;
}
