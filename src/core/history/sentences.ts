/** Of any language: it is the same one everywhere, so that texts are cut alike. */
const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Each segment is given a copy of the whole text: a long one takes quadratic time. */
const longestPart = 4_096;

/**
 * The sentences of a text, as Unicode divides it, with the code unit that each begins at. A line ends a sentence unless the
 * next one begins with a lowercase letter. The id is the words, without marks of lists, quotes and headings, and how many
 * sentences with the same words are before it: it is the same wherever the sentence is.
 */
export function sentencesIn(text: string) {
  // Code unit by code unit, so that places stay; emphasis closes a sentence as quotes do.
  const plain = text.replace(/\n(?=[^\S\n]*\p{Ll})/gu, " ").replace(/[*_`]/g, '"');
  const sentences = [];
  const counts = new Map<string, number>();
  let [start, end] = [0, 0];
  while (end < plain.length) {
    const segments = Array.from(
      segmenter.segment(plain.slice(end, end + longestPart)),
      ({ segment }) => segment,
    );
    if (segments.length > 1 && end + longestPart < plain.length) segments.pop();
    for (const segment of segments) {
      end += segment.length;
      // "1." begins the item of a list.
      if (end < plain.length && !/[\p{L}\n]/u.test(segment)) continue;
      const own = text.slice(start, end);
      const from = start + own.length - own.trimStart().length;
      start = end;
      if (!/[\p{L}\p{N}]/u.test(own)) continue;
      const words = own.trim().replace(/^(?:(?:[>#*+-]+|\d+[.)])\s+)+/, "");
      const key = words.replace(/\s+/g, " ");
      const before = counts.get(key) ?? 0;
      counts.set(key, before + 1);
      sentences.push({ text: own.trim(), start: from, id: `${before} ${key}` });
    }
  }
  return sentences;
}
