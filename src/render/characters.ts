/*
 * What a reader takes for one character: a letter with its marks, an emoji sequence, a flag, a syllable of Hangul, a
 * surrogate pair. `Intl.Segmenter` knows more scripts, but its time grows with the square of the text (each segment
 * carries a copy of the whole), and its answers change with the version of Node. A heap of marks on one letter is
 * taken apart after 30.
 */

/** Source of a pattern: one emoji, with its variant or skin tone. */
const emoji = String.raw`\p{Extended_Pictographic}(?:[\uFE0E\uFE0F]|\p{Emoji_Modifier})?`;

/** Source of a pattern: an emoji, or several that are joined into one. */
export const emojiSequence = String.raw`${emoji}(?:\u200D${emoji}){0,9}`;

/** Source of a pattern: what clings to the character before it. */
export const combiningMarks = String.raw`[\p{M}\u200C\u200D]{0,30}`;

/** A pattern that is made when it is first used: V8 takes 10 ms to find out what characters are emoji. */
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

/** The text, character by character as a reader takes them. */
export function graphemes(text: string): string[] {
  return plain.test(text) ? [...text] : (text.match(grapheme()) ?? []);
}
