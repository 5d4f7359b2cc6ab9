import { combiningMarks, emojiSequence, laterPattern } from "./characters.js";

/*
 * The parts in which prose is compared: placeholders whole, words (with inner apostrophes and hyphens), runs of
 * spaces, line ends, and every other character by itself. Scripts that are written without spaces are compared
 * character by character. A character keeps its combining marks and emoji stay whole, so that no diff cuts them.
 */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const word = String.raw`(?:(?!${unspaced})[\p{L}\p{N}_])${combiningMarks}`;
const part = laterPattern([
  String.raw`\$\{[^{}\s]+\}`,
  String.raw`\r?\n`,
  String.raw`[ \t]+`,
  String.raw`\p{RI}\p{RI}`,
  emojiSequence,
  `(?:${word})+(?:['’-](?:${word})+)*`,
  `[^]${combiningMarks}`,
]);

/** The text in parts; joined, they are the text again. */
export function partsOf(text: string): string[] {
  return text.match(part()) ?? [];
}

/** The lines of a text, each with its line ending. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** How many words a text has; in scripts that are written without spaces, characters are counted. */
export function wordCount(text: string): number {
  return partsOf(text).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}
