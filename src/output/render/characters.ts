/*
 * User-perceived characters, such as a letter with its marks, an emoji sequence, a flag or a Hangul syllable.
 * `Intl.Segmenter` supports more scripts, but takes quadratic time, and its results depend on the Node version. Marks
 * after the 30th on one letter become separate characters.
 */

/** Pattern source for one emoji with its variant or skin tone. */
const emoji = String.raw`\p{Extended_Pictographic}(?:[\uFE0E\uFE0F]|\p{Emoji_Modifier})?`;

/** Pattern source for an emoji, or several joined into one. */
export const emojiSequence = String.raw`${emoji}(?:\u200D${emoji}){0,9}`;

/** Pattern source for marks and joiners that belong to the preceding character. */
export const combiningMarks = String.raw`[\p{M}\u200C\u200D]{0,30}`;

/** Creates a pattern on first use, because V8 takes 10 ms to compute the set of emoji. */
export function createLazyPattern(sources: readonly string[]): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(sources.join("|"), "gu");
    return pattern;
  };
}

const grapheme = createLazyPattern([
  String.raw`\r\n`,
  String.raw`\p{RI}\p{RI}`,
  emojiSequence,
  String.raw`[\u1100-\u115F]{1,3}[\u1160-\u11A7]{0,3}[\u11A8-\u11FF]{0,3}`,
  `[^]${combiningMarks}`,
]);
const plain = /^[\x20-\x7E]*$/;

/** Splits text into user-perceived characters. */
export function splitGraphemes(text: string): string[] {
  return plain.test(text) ? [...text] : (text.match(grapheme()) ?? []);
}
