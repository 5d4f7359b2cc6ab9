import { toPlace } from "../../../base/diagnostics/index.js";
import { markdownParts } from "../tree/markdown.js";
import type { Declaration } from "./manifest.js";

/** The position of a text that consists of whole lines of a file: file relative to the root, line 1-based. */
export interface FirstLine {
  readonly file: string;
  readonly line: number;
}

/** The first line of a field's text; undefined if the text is not a part of a file, line by line. */
export function findFirstLine(
  { origins, range: { source } }: Declaration,
  field: string,
): FirstLine | undefined {
  const origin = origins[field];
  if (origin?.at === "file") return { file: origin.file, line: 1 };
  if (origin?.at !== "body" || source.file !== origin.file) return undefined;
  return { file: origin.file, line: source.place(markdownParts(source).bodyStart).line };
}

/** Where a field is written: its text, if that is a file's or a body's, else its key; without a field, the object. */
export function declaredAt(declaration: Declaration, field?: string): FirstLine {
  const text = field === undefined ? undefined : findFirstLine(declaration, field);
  if (text) return text;
  const { file, line } = toPlace((field && declaration.keys?.[field]) || declaration.range);
  return { file, line };
}
