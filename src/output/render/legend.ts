import { isForgotten, type ShownField } from "../documents/index.js";
import { marksFor } from "./prose-text.js";
import { canCompare } from "./value-text.js";

/** What marks the live side of a difference, and what the side of the files. */
type Signs = readonly [live: string, ours: string];

const arrow: Signs = ["left of →", "right of →"];

/** Explains the signs in the differences of objects edited elsewhere, for text. */
export function textLegend(fields: readonly ShownField[]): string {
  return writeLegend(
    fields.filter(isEdited).flatMap((field): Signs[] => {
      const { type, before, after } = field;
      if (type === "list") return before !== undefined && isForgotten(before) ? [] : [["−", "+"]];
      if (!canCompare(field) || typeof before !== "string" || typeof after !== "string")
        return toArrow(field);
      const { removed, added } = marksFor(before, after);
      return [[removed.join("…"), added.join("…")]];
    }),
  );
}

/** The same for Markdown, where texts and lists are compared in fenced blocks. */
export function markdownLegend(fields: readonly ShownField[]): string {
  return writeLegend(
    fields
      .filter(isEdited)
      .flatMap((field): Signs[] =>
        field.type === "list" || canCompare(field) ? [["`-`", "`+`"]] : toArrow(field),
      ),
  );
}

function isEdited({ cause }: ShownField): boolean {
  return cause !== "configured";
}

function toArrow({ type, before, after }: ShownField): Signs[] {
  return type === "write-only" || before === undefined || after === undefined ? [] : [arrow];
}

function writeLegend(signs: readonly Signs[]): string {
  const live = [...new Set(signs.map(([sign]) => sign))];
  const ours = [...new Set(signs.map(([, sign]) => sign))];
  return live.length === 0
    ? "The text in the files would overwrite the live text."
    : `${live.join(" and ")} ${live.length > 1 ? "are" : "is"} live, edited elsewhere; ${ours.join(" and ")} would overwrite it.`;
}
