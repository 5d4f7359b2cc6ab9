import { replaceUnsafe } from "./visible.js";

/**
 * Renders a document as JSON. Escapes the characters that {@link makeVisible} replaces, and `##[`, which CI runners
 * interpret anywhere in a line. `::` needs no escaping, because JSON lines never start with it.
 */
export function renderJson(document: object): string {
  return escapeJson(JSON.stringify(document, null, 2));
}

/** Renders a document as one line, for streams of documents. */
export function renderJsonLine(document: object): string {
  return escapeJson(JSON.stringify(document));
}

/** Streams a document that contains one long list, in whole lines. `end` adds the keys after the list. */
export function openJsonList(head: object, key: string) {
  /** Last line, held back until it is known whether a comma follows. */
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
  // Keeps line breaks of the layout. Those within texts are already escaped.
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
