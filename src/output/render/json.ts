import { replaceTreacherous } from "./visible.js";

/**
 * A document as JSON. The characters that {@link visible} writes out are written as escapes, which parse to the same
 * text. The same goes for `##[`, which CI runners obey anywhere in a line; no line of JSON starts with `::`.
 */
export function renderJson(document: object): string {
  return harmless(JSON.stringify(document, null, 2));
}

/** The same in one line, for documents that come one after the other. */
export function renderJsonLine(document: object): string {
  return harmless(JSON.stringify(document));
}

/** A document with one long list, in parts of whole lines; `tail` is what comes after the list. */
export async function* listJson(
  head: object,
  key: string,
  items: AsyncIterable<object>,
  tail: () => object = () => ({}),
): AsyncGenerator<string> {
  yield `${renderJson(head).replace(/\n\}\n$/, "")},\n  "${key}": [\n`;
  let last: string | undefined;
  for await (const item of items) {
    if (last !== undefined) yield `${last},\n`;
    last = `    ${renderJson(item).trimEnd().replaceAll("\n", "\n    ")}`;
  }
  const more = renderJson(tail()).replace(/^\{\n?/, "");
  yield `${last === undefined ? "" : `${last}\n`}  ]${more === "}\n" ? "\n" : ",\n"}${more}`;
}

function harmless(json: string): string {
  // The lines of JSON itself are no part of its texts.
  const escaped = replaceTreacherous(json, (character) =>
    character === "\n" ? character : jsonEscape(character),
  );
  return `${escaped.replace(/#(?=#\w{0,40}\[)/g, jsonEscape)}\n`;
}

/** Each half of a character by itself, as JSON has it. */
function jsonEscape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
