import { replaceUnsafe } from "./visible.js";

/**
 * Renders a document as JSON. Escapes the characters that {@link makeVisible} replaces, and `##[`, which CI runners
 * obey anywhere in a line. No line of JSON starts with `::`.
 */
export function renderJson(document: object): string {
  return escapeJson(JSON.stringify(document, null, 2));
}

/** Renders a document as one line, for streams of documents. */
export function renderJsonLine(document: object): string {
  return escapeJson(JSON.stringify(document));
}

/** Streams, in whole lines, a document with one long list. `end` adds the keys that follow the list. */
export function openJsonList(head: object, key: string) {
  /** Last line, delayed until it is known whether a comma follows. */
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

function escapeJson(json: string): string {
  // A line break here is part of the layout. Line breaks within texts are escaped already.
  const escaped = replaceUnsafe(json, (character) =>
    character === "\n" ? character : escapeForJson(character),
  );
  return `${escaped.replace(/#(?=#\w{0,40}\[)/g, escapeForJson)}\n`;
}

/** Escapes each UTF-16 code unit separately, as JSON requires. */
function escapeForJson(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
