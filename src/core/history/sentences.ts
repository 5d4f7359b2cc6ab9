/** One segmenter for all languages, so that texts are divided alike everywhere. Made when it is first used. */
let segmenter: Intl.Segmenter | undefined;

/** Each segment is given a copy of the whole text: a long one would take quadratic time. */
const longestPart = 4_096;

/**
 * The sentences of a text, as Unicode divides it. A line ends a sentence unless the next one begins with a lowercase letter.
 * The id is the words, without marks of lists, quotes and headings, and how many sentences with the same words are before
 * it: it is the same wherever the sentence is.
 */
export function sentencesIn(text: string) {
  // A text of the same length: emphasis closes a sentence as quotes do, and neither "1." nor "<!" is one.
  const plain = text
    .replace(/\n(?=[^\S\n]*\p{Ll})/gu, " ")
    .replace(/[*_`]/g, '"')
    .replace(/<!--/g, "<---")
    .replace(/^([ \t]*\d{1,9})\./gm, "$1)");
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const sentences: { readonly text: string; readonly id: string }[] = [];
  const counts = new Map<string, number>();
  for (let at = 0; at < plain.length; ) {
    const parts = Array.from(segmenter.segment(plain.slice(at, at + longestPart)), (part) => part.segment);
    if (parts.length > 1 && at + longestPart < plain.length) parts.pop();
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
