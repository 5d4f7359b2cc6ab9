import type { SourceRange } from "../../../base/diagnostics/index.js";
import { findPlaceInComposition } from "../../templates/index.js";
import { readFileName } from "../sources/source-tag.js";
import { entriesIn, type MapNode, type Node, nodeAt, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration, Manifest, Policies } from "./manifest.js";

/**
 * Judges what the files declare by the project's policies. The caller of `loadManifest` provides it: this room only reads
 * text, and who only wants the manifest does not load what judges it. Asks for one project after the other, and for all.
 */
export type Judge = (projects: Iterable<JudgedProject>, reading: Pick<Reading, "collector">) => Promise<void>;

/** What the files declare, for one environment or for none. */
export interface JudgedProject {
  readonly policies: Policies;
  readonly declarations: readonly Declaration[];
  /** Where a value of a declaration is written, or a part of its text. */
  rangeOf(declaration: Declaration, path: readonly (string | number)[], part?: TextPart): SourceRange;
}

/** A project to be judged; undefined if nobody judges. */
export function judgedProject(
  root: MapNode,
  desired: Pick<Manifest, "policies" | "declarations">,
  reading: Reading,
): JudgedProject | undefined {
  const { policies, declarations } = desired;
  if (!policies) return undefined;
  const findNode = ({ kind, key }: Declaration): Node | undefined =>
    entriesIn(root.entries.get(kind.collection)?.value).get(key)?.value;
  return {
    ...{ policies, declarations },
    rangeOf: (declaration, path, part) =>
      rangeOfText(declaration, findNode(declaration), path, part, reading),
  };
}

/** A part of a text, in UTF-16 code units. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a value is written, or a part of its text, cut at the end of its first line. If the file spells the text in
 * another way, as with escapes or in code, the place is that of the whole value. Of a template, it is that of the stretch in
 * which it begins.
 */
function rangeOfText(
  { range: declared, origins }: Declaration,
  node: Node | undefined,
  path: readonly (string | number)[],
  part: TextPart | undefined,
  reading: Reading,
): SourceRange {
  if (!node) return declared;
  const whole = rangeAt(declared, node, path);
  const value = nodeAt(node, path);
  const text = value && findText(value, reading);
  const origin = path.length === 1 ? origins[String(path[0])] : undefined;
  if (part && origin?.at === "template") return findPlaceInComposition(origin.composition, part);
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
function findText(node: Node, reading: Reading): (SourceRange & { readonly written: string }) | undefined {
  if (node.is !== "scalar" || typeof node.value !== "string") return undefined;
  if (node.tag === "!file") {
    const file = readFileName(node, reading);
    const source = file === undefined ? undefined : reading.files.open(file, node);
    // The text of the declaration has line feeds, and a caret needs one line only.
    return (
      source && { source, start: 0, end: source.text.length, written: source.text.replaceAll("\r\n", "\n") }
    );
  }
  const { source, start, end, value: written } = node;
  return node.at === "typescript"
    ? { source, start: 0, end: source.text.length, written }
    : { source, start, end, written };
}

/** All places of a part in a text; they may overlap. */
function starts(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}
