import type { SourceRange } from "../../../base/diagnostics/index.js";
import { findPartRange } from "../../templates/index.js";
import { readFileName } from "../sources/source-tag.js";
import { findNodeAt, findRangeAt, listEntries, type MapNode, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration, Manifest, Policies } from "./manifest.js";

/**
 * Checks declared objects against the policies, one project at a time. The caller of `loadManifest` provides the function, so
 * that loading a manifest does not load the policy code.
 */
export type Judge = (projects: Iterable<JudgedProject>, reading: Pick<Reading, "collector">) => Promise<void>;

/** Project to check, in one environment or without any. */
export interface JudgedProject {
  readonly policies: Policies;
  readonly declarations: readonly Declaration[];
  readonly variables: Manifest["variables"];
  /** Finds the range of a declaration's value, or of a part of its text. */
  findRange(declaration: Declaration, path: readonly (string | number)[], part?: TextPart): SourceRange;
}

/** Builds a project for the judge. Returns undefined if it has no policies. */
export function toJudgedProject(
  root: MapNode,
  desired: Pick<Manifest, "policies" | "declarations" | "variables">,
  reading: Reading,
): JudgedProject | undefined {
  const { policies, declarations, variables } = desired;
  if (!policies) return undefined;
  const findNode = ({ kind, key }: Declaration): Node | undefined =>
    listEntries(root.entries.get(kind.collection)?.value).get(key)?.value;
  return {
    ...{ policies, declarations, variables },
    findRange: (declaration, path, part) =>
      findTextRange(declaration, findNode(declaration), path, part, reading),
  };
}

/** A part of a text, in UTF-16 code units. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the range of a value, or of the first line of a text part. Falls back to the whole value if the file spells the
 * text differently, such as with escapes.
 */
function findTextRange(
  { range: declared, origins }: Declaration,
  node: Node | undefined,
  path: readonly (string | number)[],
  part: TextPart | undefined,
  reading: Reading,
): SourceRange {
  if (!node) return declared;
  const whole = findRangeAt(declared, node, path);
  const value = findNodeAt(node, path);
  const text = value && findText(value, reading);
  const origin = path.length === 1 ? origins[String(path[0])] : undefined;
  if (part && origin?.at === "template") return findPartRange(origin.composition, part);
  if (!part || !text) return whole;
  const { written, source, start, end } = text;
  const [line = ""] = written.slice(part.start, part.end).split("\n", 1);
  if (line === "") return whole;
  const inSource = findAll(source.text.slice(start, end), line);
  const inText = findAll(written, line);
  const at = inSource.length === inText.length ? inSource[inText.indexOf(part.start)] : undefined;
  return at === undefined ? whole : { source, start: start + at, end: start + at + line.length };
}

/** Finds a node's text as declared, and where it is in the files. */
function findText(node: Node, reading: Reading): (SourceRange & { readonly written: string }) | undefined {
  if (node.is !== "scalar" || typeof node.value !== "string") return undefined;
  if (node.tag === "!file") {
    const file = readFileName(node, reading);
    const source = file === undefined ? undefined : reading.files.open(file, node);
    // Converts CRLF to LF, because the offsets of text parts refer to the declared text, which has only LF. The file
    // keeps CRLF, which is harmless because only single lines are looked up in it.
    return (
      source && { source, start: 0, end: source.text.length, written: source.text.replaceAll("\r\n", "\n") }
    );
  }
  const { source, start, end, value: written } = node;
  return node.at === "typescript"
    ? { source, start: 0, end: source.text.length, written }
    : { source, start, end, written };
}

/** Finds all offsets of a part in a text, including overlapping matches. */
function findAll(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}
