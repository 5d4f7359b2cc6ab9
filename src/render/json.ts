/**
 * A document as JSON. Characters that control a terminal or are invisible are written as escapes, which parse
 * to the same text: JSON itself escapes C0, but not DEL, C1 and the bidi controls. The same goes for `##[`,
 * which CI runners obey anywhere in a line; no line of JSON starts with `::`.
 */
export function renderJson(document: object): string {
  return harmless(JSON.stringify(document, null, 2));
}

/** The same in one line, for documents that come one after the other. */
export function renderJsonLine(document: object): string {
  return harmless(JSON.stringify(document));
}

function harmless(json: string): string {
  const escaped = json.replace(
    /[\u007F-\u009F\p{Bidi_Control}\u2028\u2029\uFEFF]|#(?=#\w{0,40}\[)/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${escaped}\n`;
}
