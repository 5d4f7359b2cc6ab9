import { combiningMarks, emojiSequence, laterPattern } from "./characters.js";

/*
 * The units in which prose is compared: whole placeholders, words (with inner apostrophes and hyphens), runs
 * of spaces, line ends, and every other character by itself. Scripts written without spaces are compared
 * character by character. A character keeps its combining marks and emoji stay whole, so that no diff cuts
 * them.
 */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const letter = String.raw`(?:(?!${unspaced})[\p{L}\p{N}_])${combiningMarks}`;
const word = `(?:${letter})+(?:['’-](?:${letter})+)*`;
/** Source of a pattern: what the service fills in. */
export const placeholder = String.raw`\$\{[^{}\s]{1,64}\}`;
const part = laterPattern([
  placeholder,
  String.raw`\r?\n`,
  String.raw`[ \t]+`,
  String.raw`\p{RI}\p{RI}`,
  emojiSequence,
  word,
  `[^]${combiningMarks}`,
]);

/** Only what a word can be in: a long text has as many spaces. */
const countable = laterPattern([placeholder, word, unspaced]);

/** The text in units; joined, they are the text again. */
export function splitUnits(text: string): string[] {
  return text.match(part()) ?? [];
}

/** The lines of a text, each with its line end. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The number of words in a text; in scripts without spaces, of characters. */
export function wordCount(text: string): number {
  let words = 0;
  for (const [part] of text.matchAll(countable())) if (/[\p{L}\p{N}]/u.test(part)) words += 1;
  return words;
}
