import { splitGraphemes } from "./characters.js";
import { formatCount } from "./phrases.js";
import type { Segment } from "./prose-diff.js";
import { makeVisible, markSpaces, type SafeText } from "./visible.js";

/**
 * Maximum length of a span. Longer spans are shortened in the middle. The files and the JSON output have the full text.
 */
const maxShownLength = 1_000;

/** Splits a span into visible rows. `atLineEnd` means that the span reaches the end of a line. */
export function splitRows({ kind, text }: Segment, atLineEnd: boolean): SafeText[] {
  if (kind === "same") return text.split(/\r?\n/).map(makeVisible);
  return shorten(text)
    .split("\n")
    .map((row, at, rows) => {
      // Appends the line ending, which makes `markSpaces` mark trailing spaces.
      const ends = at < rows.length - 1 || atLineEnd;
      return makeVisible(ends ? markSpaces(`${row}\n`).slice(0, -1) : markSpaces(row));
    });
}

function shorten(text: string): string {
  const characters = splitGraphemes(text);
  const half = maxShownLength / 2;
  const [head, tail] = [takeUpTo(half, characters), takeUpTo(half, characters.toReversed())];
  const hidden = characters.slice(head.length, characters.length - tail.length).join("").length;
  if (head.length + tail.length >= characters.length) return text;
  return `${head.join("")} … ${formatCount(hidden, "character")} … ${tail.toReversed().join("")}`;
}

/** Returns as many leading characters as fit. Counts a line ending as half a line. */
function takeUpTo(room: number, characters: readonly string[]): string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += character.length + (character.endsWith("\n") ? 40 : 0);
    return used > room;
  });
  return end === -1 ? [...characters] : characters.slice(0, end);
}
