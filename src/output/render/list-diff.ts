import { diffArrays } from "diff";
import type { ShownValue } from "../documents/index.js";

/** Entry that was removed from or added to a list. */
export interface EntryChange {
  readonly kind: "removed" | "added";
  readonly entry: ShownValue;
}

/** Maximum number of edits, to limit the cost (see prose-diff). Lists with more edits are shown as replaced. */
const maxEdits = 1_000;

/** Compares two lists entry by entry. */
export function diffEntries(before: readonly ShownValue[], after: readonly ShownValue[]): EntryChange[] {
  const old = before.map((entry) => JSON.stringify(entry));
  const now = after.map((entry) => JSON.stringify(entry));
  const parts = diffArrays(old, now, { maxEditLength: maxEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return parts.flatMap(({ value, removed, added }) =>
    removed || added
      ? value.map((text) => ({ kind: removed ? "removed" : "added", entry: JSON.parse(text) }) as const)
      : [],
  );
}
