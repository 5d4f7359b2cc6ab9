import { type PlanDocument, type ShownField, storedText } from "../documents/index.js";
import type { Hunk } from "./hunks.js";
import { changedHunks } from "./prose-changes.js";

/** What the hunks of one field may have, in UTF-16 code units. */
const mostInHunks = 800;

/**
 * The document with digest and length in the place of each long text, and where two of them differ: for readers to whom every word
 * has a price. The state has the same digest, of the same texts.
 */
export function withoutTexts(document: PlanDocument): PlanDocument {
  const changes = document.changes.map((change) => ({
    ...change,
    fields: change.fields.map((field) => withoutText(change.kind, field)),
  }));
  return { ...document, changes };
}

function withoutText(kind: string, field: ShownField): ShownField {
  const { before, after } = field;
  if (field.type !== "prose") return field;
  const all = changedHunks(field).map(shownHunk);
  let left = mostInHunks;
  const hunks = all.filter((hunk) => {
    left -= hunk.before.length + hunk.after.length;
    return left >= 0;
  });
  return {
    ...field,
    before: typeof before === "string" ? storedText(kind, field.field, before) : before,
    after: typeof after === "string" ? storedText(kind, field.field, after) : after,
    ...(hunks.length > 0 && { hunks }),
    ...(hunks.length < all.length && { hunks_left_out: all.length - hunks.length }),
  };
}

function shownHunk({ line, segments }: Hunk): NonNullable<ShownField["hunks"]>[number] {
  const textOf = (own: "removed" | "added") =>
    segments.flatMap(({ kind, text }) => (kind === "same" || kind === own ? [text] : [])).join("");
  return { line, before: textOf("removed"), after: textOf("added") };
}
