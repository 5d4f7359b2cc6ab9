import type { SourceRange } from "../../diagnostics/index.js";
import { fileNamed } from "../sources/source-tag.js";
import { type Node, rangeAt } from "../tree/node.js";
import type { ProjectFiles } from "../tree/project-files.js";
import type { Reading } from "../tree/reading.js";

/** A part of a text, in UTF-16 code units. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a value is written, or a part of its text, cut at the end of its first line. If the file spells the text in
 * another way, as with escapes or in code, the place is that of the whole value.
 *
 * @param declared the place of the object.
 */
export function rangeOfText(
  declared: SourceRange,
  node: Node | undefined,
  path: readonly (string | number)[],
  part: TextPart | undefined,
  reading: Reading,
): SourceRange {
  if (!node) return declared;
  const whole = rangeAt(declared, node, path);
  const value = valueAt(node, path);
  const text = value && textOf(value, reading);
  if (!part || !text) return whole;
  const { written, source, start, end } = text;
  const [line = ""] = written.slice(part.start, part.end).split("\n", 1);
  if (line === "") return whole;
  const there = starts(source.text.slice(start, end), line);
  const here = starts(written, line);
  const at = there.length === here.length ? there[here.indexOf(part.start)] : undefined;
  return at === undefined ? whole : { source, start: start + at, end: start + at + line.length };
}

/** A text, and the part of a file in which it is. */
function textOf(node: Node, reading: Reading): (SourceRange & { readonly written: string }) | undefined {
  if (node.is !== "scalar" || typeof node.value !== "string") return undefined;
  if (node.tag === "!file") {
    const source = sourceNamed(node, reading, reading.files);
    // The text of the declaration has line feeds, and a caret needs one line only.
    return source && { source, start: 0, end: source.text.length, written: unified(source.text) };
  }
  const { source, start, end, value: written } = node;
  return node.at === "typescript"
    ? { source, start: 0, end: source.text.length, written }
    : { source, start, end, written };
}

function sourceNamed(node: Node, reading: Reading, files: ProjectFiles) {
  const file = fileNamed(node, reading);
  return file === undefined ? undefined : files.open(file, node);
}

function unified(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** All places of a part in a text; they may overlap. */
function starts(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** The node at a path. */
function valueAt(node: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  let at = node;
  for (const key of path) {
    if (at?.is === "map") at = at.entries.get(String(key))?.value;
    else if (at?.is === "list") at = at.items[Number(key)];
    else return undefined;
  }
  return at;
}
