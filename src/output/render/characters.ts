/*
 * What a reader takes for one character: a letter with its marks, an emoji sequence, a flag, a Hangul
 * syllable, a surrogate pair. `Intl.Segmenter` supports more scripts, but takes quadratic time (each segment
 * contains a copy of the whole text), and its results change with the version of Node. Splits a heap of marks
 * on one letter after 30.
 */

/** Source of a pattern: one emoji, with its variant or skin tone. */
const emoji = String.raw`\p{Extended_Pictographic}(?:[\uFE0E\uFE0F]|\p{Emoji_Modifier})?`;

/** Source of a pattern: an emoji, or several that are joined into one. */
export const emojiSequence = String.raw`${emoji}(?:\u200D${emoji}){0,9}`;

/** Source of a pattern: what belongs to the character before it. */
export const combiningMarks = String.raw`[\p{M}\u200C\u200D]{0,30}`;

/** A pattern created on first use: V8 takes 10 ms to compute the set of emoji. */
export function laterPattern(sources: readonly string[]): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(sources.join("|"), "gu");
    return made;
  };
}

const grapheme = laterPattern([
  String.raw`\r\n`,
  String.raw`\p{RI}\p{RI}`,
  emojiSequence,
  String.raw`[\u1100-\u115F]{1,3}[\u1160-\u11A7]{0,3}[\u11A8-\u11FF]{0,3}`,
  `[^]${combiningMarks}`,
]);
const plain = /^[\x20-\x7E]*$/;

/** The text, one reader's character at a time. */
export function graphemes(text: string): string[] {
  return plain.test(text) ? [...text] : (text.match(grapheme()) ?? []);
}
