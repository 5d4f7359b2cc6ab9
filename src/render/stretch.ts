import { graphemes } from "./characters.js";
import { count } from "./phrases.js";
import type { Segment } from "./prose-diff.js";
import { marked, type Shown, visible } from "./visible.js";

/** Longer stretches are shown by their beginning and end: the whole is in the files and in the JSON document. */
const longestStretch = 1_000;

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
  const head = upTo(longestStretch / 2, characters);
  const tail = upTo(longestStretch / 2, characters.toReversed());
  const hidden = text.slice(lengthOf(head), text.length - lengthOf(tail)).length;
  if (hidden === 0) return text;
  return `${head.join("")} … ${count(hidden, "character")} … ${tail.toReversed().join("")}`;
}

/** The first characters, of up to so many UTF-16 units together. */
function upTo(length: number, characters: readonly string[]): string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += character.length;
    return used > length;
  });
  return end === -1 ? [...characters] : characters.slice(0, end);
}

function lengthOf(characters: readonly string[]): number {
  return characters.reduce((sum, character) => sum + character.length, 0);
}
