import { toPlace } from "../../../base/diagnostics/index.js";
import { markdownParts } from "../tree/markdown.js";
import type { Declaration } from "./manifest.js";

/** The place of a text, or of an object: file relative to the root, line 1-based. */
export interface FirstLine {
  readonly file: string;
  readonly line: number;
}

/** A part of a text that is written in one place; `start` is where it starts in the text, in UTF-16 code units. */
interface PlacedStretch extends FirstLine {
  readonly start: number;
}

/**
 * Where a field's text is written: one stretch if it consists of whole lines of a file, several if it is composed;
 * undefined if the text is not a part of files, line by line.
 */
export function findStretches(
  { origins, range: { source } }: Declaration,
  field: string,
): readonly PlacedStretch[] | undefined {
  const origin = origins[field];
  if (origin?.at === "file") return [{ start: 0, file: origin.file, line: 1 }];
  if (origin?.at === "template") {
    let end = 0;
    return origin.composition.stretches.map(({ text, range }) => {
      const { file, line } = toPlace(range);
      const start = end;
      end += text.length;
      return { start, file, line };
    });
  }
  if (origin?.at !== "body" || source.file !== origin.file) return undefined;
  return [{ start: 0, file: origin.file, line: source.place(markdownParts(source).bodyStart).line }];
}

/** Where a field is written: its text, if that is a file's or a body's, else its key; without a field, the object. */
export function declaredAt(declaration: Declaration, field?: string): FirstLine {
  const [text] = (field !== undefined && findStretches(declaration, field)) || [];
  const { file, line } = text ?? toPlace((field && declaration.keys?.[field]) || declaration.range);
  return { file, line };
}
