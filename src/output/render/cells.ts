import { splitGraphemes } from "./characters.js";

/*
 * Width of text in terminal columns. East Asian Wide and Fullwidth characters (UAX #11) and emoji take two columns, and
 * combining marks take none. The ranges list wide characters other than emoji, which are matched by their Unicode
 * property.
 */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6B\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;
const narrowOnly = /^[\x20-\x7E]*$/;

export function countCells(text: string): number {
  if (narrowOnly.test(text)) return text.length;
  return splitGraphemes(text).reduce((sum, grapheme) => sum + measureGrapheme(grapheme), 0);
}

export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - countCells(text)));
}

/** Truncates text to a width, and ends it with "…". */
export function clip(text: string, width: number): string {
  if (countCells(text) <= width) return text;
  return `${fitCharacters(splitGraphemes(text), width - 1).join("")}…`;
}

/** Returns as many leading characters as fit into a width. */
export function fitCharacters(characters: readonly string[], width: number): readonly string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += measureGrapheme(character);
    return used > width;
  });
  return end === -1 ? characters : characters.slice(0, end);
}

function measureGrapheme(grapheme: string): number {
  if (/^\p{M}+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
