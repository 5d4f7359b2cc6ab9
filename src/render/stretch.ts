import { graphemes } from "./cells.js";
import { count } from "./phrases.js";
import type { Segment } from "./prose-diff.js";
import { marked, type Shown, visible } from "./visible.js";

/** Longer stretches are shown by their beginning and end: the whole is in the files and in the JSON document. */
const longestStretch = 1_200;

/** The rows of a stretch of text, made visible; `atLineEnd` says that a line ends right after it. */
export function rowsOf({ kind, text }: Segment, atLineEnd: boolean): Shown[] {
  if (kind === "same") return text.split(/\r?\n/).map(visible);
  return shortened(text)
    .split("\n")
    .map((row, at, rows) => {
      // Spaces are marked where a line end follows them.
      const ends = at < rows.length - 1 || atLineEnd;
      return visible(ends ? marked(`${row}\n`).slice(0, -1) : marked(row));
    });
}

function shortened(text: string): string {
  if (text.length <= longestStretch) return text;
  const characters = graphemes(text);
  const side = longestStretch / 2 - 50;
  if (characters.length <= 2 * side) return text;
  const hidden = characters.slice(side, -side).join("").length;
  return `${characters.slice(0, side).join("")} … ${count(hidden, "character")} … ${characters.slice(-side).join("")}`;
}
