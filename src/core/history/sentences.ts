/** Segmenter with a fixed locale, so that texts are split the same way on every machine. Created on first use. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Maximum length of a part, in UTF-16 code units. Longer parts would take quadratic time, because each segment copies
 * its input.
 */
const maxPartLength = 4_096;

/**
 * Splits text into sentences by the Unicode rules. A line ending also ends a sentence, unless the next line starts with
 * a lowercase letter. A sentence keeps its id when it moves. Equal sentences are numbered.
 */
export function splitSentences(text: string) {
  // Replaces characters one for one, so that offsets stay valid. Treats emphasis marks like quotes at the end of a
  // sentence, and keeps "1." and "<!" from becoming sentences.
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
