import type { Declaration } from "./manifest.js";
import { markdownParts } from "./markdown.js";

/** Where a text begins that is lines of a file: relative to the root, 1-based. */
export interface FirstLine {
  readonly file: string;
  readonly line: number;
}

/** The first line of a field's text; undefined where the text is not, line by line, a part of a file. */
export function firstLineOf(
  { origins, range: { source } }: Declaration,
  field: string,
): FirstLine | undefined {
  const origin = origins[field];
  if (origin?.at === "file") return { file: origin.file, line: 1 };
  if (origin?.at !== "body" || source.file !== origin.file) return undefined;
  return { file: origin.file, line: source.place(markdownParts(source).bodyStart).line };
}
