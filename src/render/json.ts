/**
 * A document as JSON text. Characters that a terminal would obey or that hide are written as escapes, which parse
 * to the same: C0 is escaped by JSON itself, but not DEL, C1 and the bidi controls. So is `##[`, which CI runners obey
 * anywhere in a line; no line of JSON begins with `::`.
 */
export function renderJson(document: object): string {
  const json = JSON.stringify(document, null, 2).replace(
    /[\u007F-\u009F\p{Bidi_Control}\u2028\u2029\uFEFF]|#(?=#\w{0,40}\[)/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}
