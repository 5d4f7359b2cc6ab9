/** One segmenter for all locales, so that texts are split the same way on every machine. Created on first use. */
let segmenter: Intl.Segmenter | undefined;

/** Each segment holds a copy of the whole input, so long inputs would take quadratic time. */
const maxPartLength = 4_096;

/**
 * Splits a text into sentences by the rules of Unicode. The end of a line ends a sentence unless the next line starts with a
 * lowercase letter. A sentence's id does not depend on its position: it is its words, without marks of lists, quotes and
 * headings, and the number of previous sentences with the same words.
 */
export function splitSentences(text: string) {
  // Keeps the length. Emphasis ends a sentence as quotes do, and "1." and "<!" are not sentences.
  const plain = text
    .replace(/\n(?=[^\S\n]*\p{Ll})/gu, " ")
    .replace(/[*_`]/g, '"')
    .replace(/<!--/g, "<---")
    .replace(/^([ \t]*\d{1,9})\./gm, "$1)");
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences: { readonly text: string; readonly id: string }[] = [];
  const counts = new Map<string, number>();
  for (let at = 0; at < plain.length; ) {
    const parts = Array.from(segmenter.segment(plain.slice(at, at + maxPartLength)), (part) => part.segment);
    if (parts.length > 1 && at + maxPartLength < plain.length) parts.pop();
    for (const { length } of parts) {
      const own = text.slice(at, at + length).trim();
      at += length;
      if (!/[\p{L}\p{N}]/u.test(own)) continue;
      const words = own.replace(/^(?:(?:[>#*+-]+|\d+[.)])\s+)+/, "").replace(/\s+/g, " ");
      const before = counts.get(words) ?? 0;
      counts.set(words, before + 1);
      sentences.push({ text: own, id: `${before} ${words}` });
    }
  }
  return sentences;
}
