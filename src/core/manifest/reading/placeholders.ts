import type { SourceRange } from "../../../base/diagnostics/index.js";
import { type Composition, placeInComposition } from "../../templates/index.js";
import type { Node } from "../tree/node.js";

const shownLength = 40;

/** The service's placeholders (`${name}`) that are closed on their line, with their positions. */
export function closedPlaceholders(
  text: string,
): { readonly name: string; readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/\$\{([^{}$\n]*)\}/g), ({ index, 0: whole, 1: name = "" }) => ({
    name: name.trim(),
    start: index,
    end: index + whole.length,
  }));
}

/** The service's placeholders (`${name}`) that are not closed on their line, with their positions. */
export function unclosedPlaceholders(text: string): { readonly text: string; readonly start: number }[] {
  const found: { text: string; start: number }[] = [];
  const opening = /\$\{[^}\n$]*/g;
  for (const { index, 0: opened } of text.matchAll(opening)) {
    if (text.charAt(index + opened.length) !== "}")
      found.push({ text: opened.trimEnd().slice(0, shownLength), start: index });
  }
  return found;
}

/**
 * The same with places, for a text at `node`, the whole of `file` or a composed one. If the file spells the text differently,
 * as with escapes, all of them get the place of the node.
 */
export function placedPlaceholders(
  text: string,
  node: Node,
  file: SourceRange | Composition | undefined,
): { text: string; range: SourceRange }[] {
  const found = unclosedPlaceholders(text);
  if (found.length === 0) return [];
  if (file && "stretches" in file)
    return found.map(({ text: opened, start }) => ({
      text: opened,
      range: placeInComposition(file, { start, end: start + opened.length }),
    }));
  const { source, start, end } = file ?? node;
  const written = unclosedPlaceholders(source.text.slice(start, end));
  return found.map((placeholder, i) => {
    const there = written.length === found.length ? written[i] : undefined;
    if (there?.text !== placeholder.text) return { text: placeholder.text, range: node };
    const at = start + there.start;
    return { text: placeholder.text, range: { source, start: at, end: at + there.text.length } };
  });
}
