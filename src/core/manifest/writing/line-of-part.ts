import { type Document, isNode, isScalar, parseDocument } from "yaml";
import type { SourceFile } from "../../../base/diagnostics/index.js";
import { type FirstLine, findFirstLine, findStretches } from "../reading/first-line.js";
import type { Declaration } from "../reading/manifest.js";
import { splitMarkdown } from "../tree/markdown.js";
import { findLineStart } from "./yaml-scalar.js";

/** Part of a field's value. */
interface ValuePart {
  /** Path in a list or mapping, such as `[0].faq`. */
  readonly part?: string | undefined;
  /** Line number in a text, starting at 1. */
  readonly line?: number | undefined;
}

/** Finds the file and line of a part of a field's value. Falls back to the field itself. */
export function findLineOfPart(
  declaration: Declaration,
  field: string,
  { part = "", line = 1 }: ValuePart,
): FirstLine {
  const path = [...part.matchAll(/\[(\d+)\]|\.([^.[]+)/g)].map(([, index, name]) => name ?? Number(index));
  return (
    findLineInText(declaration, field, line) ??
    findLineInYaml(declaration, field, path, line) ??
    findFirstLine(declaration, field)
  );
}

function findLineInText(declaration: Declaration, field: string, line: number): FirstLine | undefined {
  const text = declaration.spec[field];
  const stretches = findStretches(declaration, field);
  if (!stretches || typeof text !== "string") return undefined;
  let offset = 0;
  for (let n = 1; n < line; n += 1) offset = text.indexOf("\n", offset) + 1;
  const stretch = stretches.findLast(({ start }) => start <= offset);
  const passed = text.slice(stretch?.start, offset).split("\n").length - 1;
  return stretch && { file: stretch.file, line: stretch.line + passed };
}

function findLineInYaml(
  { origins, keys, range }: Declaration,
  field: string,
  path: readonly (string | number)[],
  line: number,
): FirstLine | undefined {
  const origin = origins[field];
  if (origin?.at !== "yaml" && origin?.at !== "front-matter") return undefined;
  const sources: readonly SourceFile[] = [keys?.[field]?.source ?? range.source, range.source];
  const source = sources.find(({ file }) => file === origin.file);
  if (!source) return undefined;
  const { document, start } = parseSource(source, origin.at);
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node = document.getIn([...origin.path, ...path.slice(0, depth)], true);
    if (!isNode(node) || !node.range) continue;
    const lineStart =
      depth === path.length && isScalar(node) ? findLineStart(node.srcToken, line) : undefined;
    const { file, line: found } = source.locate(start + (lineStart ?? node.range[0]));
    return { file, line: found };
  }
  return undefined;
}

interface ParsedSource {
  readonly document: Document;
  /** Offset of the YAML in the file. */
  readonly start: number;
}

/** Caches parsed files, because one file may have many conflicts. */
const parsed = new WeakMap<SourceFile, ParsedSource>();

function parseSource(source: SourceFile, at: "yaml" | "front-matter"): ParsedSource {
  const known = parsed.get(source);
  if (known) return known;
  const whole = { start: 0, end: source.text.length };
  const { start, end } = (at === "front-matter" && splitMarkdown(source).frontMatter) || whole;
  const options = { keepSourceTokens: true, logLevel: "silent", uniqueKeys: false } as const;
  const made = { document: parseDocument(source.text.slice(start, end), options), start };
  parsed.set(source, made);
  return made;
}
