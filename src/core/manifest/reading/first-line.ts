import { toLocation } from "../../../base/diagnostics/index.js";
import { splitMarkdown } from "../tree/markdown.js";
import type { Declaration } from "./manifest.js";

/** Where a text or an object starts in the files. `file` is relative to the root, and `line` starts at 1. */
export interface FirstLine {
  readonly file: string;
  readonly line: number;
}

/** A part of a text in one file. `start` is its offset in the text, in UTF-16 code units. */
interface LocatedSpan extends FirstLine {
  readonly start: number;
}

/**
 * Finds where a field's text comes from. A file or a Markdown body is a single stretch, and a template has several.
 * Returns undefined for values in YAML, front matter or code.
 */
export function findStretches(
  { origins, range: { source } }: Declaration,
  field: string,
): readonly LocatedSpan[] | undefined {
  const origin = origins[field];
  if (origin?.at === "file") return [{ start: 0, file: origin.file, line: 1 }];
  if (origin?.at === "template") {
    let end = 0;
    return origin.composition.stretches.map(({ text, range }) => {
      const { file, line } = toLocation(range);
      const start = end;
      end += text.length;
      return { start, file, line };
    });
  }
  if (origin?.at !== "body" || source.target !== origin.file) return undefined;
  return [{ start: 0, file: origin.file, line: source.locate(splitMarkdown(source).bodyStart).line }];
}

/**
 * Finds the start of a field's text in a file or body, or else the field's key. If no field is given, finds the object.
 */
export function findFirstLine(declaration: Declaration, field?: string): FirstLine {
  const [text] = (field !== undefined && findStretches(declaration, field)) || [];
  const { file, line } = text ?? toLocation((field && declaration.keys?.[field]) || declaration.range);
  return { file, line };
}
