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

/** A document with one long list, whose items come one after the other; `end` adds what comes after the list. In whole lines. */
export function openJsonList(head: object, key: string) {
  /** Whether a comma follows it is not known yet. */
  let last = `${renderJson(head).replace(/\n\}\n$/, "")},\n  "${key}": [`;
  let isEmpty = true;
  return {
    items(more: readonly object[]): string {
      const text: string[] = [];
      for (const item of more) {
        text.push(`${last}${isEmpty ? "\n" : ",\n"}`);
        last = `    ${renderJson(item).trimEnd().replaceAll("\n", "\n    ")}`;
        isEmpty = false;
      }
      return text.join("");
    },
    end(tail: object = {}): string {
      const more = renderJson(tail).replace(/^\{\n?/, "");
      return `${last}${isEmpty ? "]" : "\n  ]"}${more === "}\n" ? "\n" : ",\n"}${more}`;
    },
  };
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
