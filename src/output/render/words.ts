import { combiningMarks, createLazyPattern, emojiSequence } from "./characters.js";

/*
 * Units for comparing prose: placeholders, words (with inner apostrophes and hyphens), runs of spaces, line endings,
 * and single characters, including characters of scripts without spaces. Combining marks and emoji sequences are never
 * split.
 */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const letter = String.raw`(?:(?!${unspaced})[\p{L}\p{N}_])${combiningMarks}`;
const word = `(?:${letter})+(?:['’-](?:${letter})+)*`;
/** Pattern source for placeholders that the service fills in. */
export const placeholder = String.raw`\$\{[^{}\s]{1,64}\}`;
const part = createLazyPattern([
  placeholder,
  String.raw`\r?\n`,
  String.raw`[ \t]+`,
  String.raw`\p{RI}\p{RI}`,
  emojiSequence,
  word,
  `[^]${combiningMarks}`,
]);

/** Matches the units that can count as words. Faster than `part`, because it skips all other units. */
const countable = createLazyPattern([placeholder, word, unspaced]);

/** Splits text into units. Joining the units restores the text. */
export function splitUnits(text: string): string[] {
  return text.match(part()) ?? [];
}

/** Splits text into lines, each with its line ending. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Counts the words in text, or the characters in scripts without spaces. */
export function countWords(text: string): number {
  let words = 0;
  for (const [part] of text.matchAll(countable())) if (/[\p{L}\p{N}]/u.test(part)) words += 1;
  return words;
}
