import type { SourceRange } from "../diagnostics/index.js";
import type { Node } from "./node.js";

/** How much of a placeholder is shown. */
const shownLength = 40;

/** The beginnings of placeholders of the service (`${name}`) that do not end in their line, and where they stand. */
function unclosedPlaceholders(text: string): { readonly text: string; readonly start: number }[] {
  const found: { text: string; start: number }[] = [];
  const opening = /\$\{[^}\n$]*/g;
  for (const { index, 0: opened } of text.matchAll(opening)) {
    if (text.charAt(index + opened.length) !== "}")
      found.push({ text: opened.trimEnd().slice(0, shownLength), start: index });
  }
  return found;
}

/**
 * The same with their places, of a text that stands at `node`, or is the whole of `file`. Where the file spells the text in
 * another way than it reads, as with escapes, all have the place of the node.
 */
export function placedPlaceholders(
  text: string,
  node: Node,
  file: SourceRange | undefined,
): { text: string; range: SourceRange }[] {
  const found = unclosedPlaceholders(text);
  if (found.length === 0) return [];
  const { source, start, end } = file ?? node;
  const written = unclosedPlaceholders(source.text.slice(start, end));
  return found.map((one, i) => {
    const there = written.length === found.length ? written[i] : undefined;
    if (there?.text !== one.text) return { text: one.text, range: node };
    const at = start + there.start;
    return { text: one.text, range: { source, start: at, end: at + there.text.length } };
  });
}
