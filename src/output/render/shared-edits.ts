import type { PlanDocument, ShownField } from "../documents/index.js";
import type { Hunk } from "./hunks.js";
import { sortByAction } from "./phrases.js";
import { findChangedHunks, memoize } from "./prose-changes.js";
import type { Segment } from "./prose-diff.js";

/** Number of unchanged characters on each side of a change in Markdown. */
export const markdownContextLength = 160;

/** The first text of a plan that contains an edit. */
interface FirstText {
  readonly address: string;
  readonly field: ShownField;
}

/**
 * Finds the first text in the plan that contains this edit. Searches only up to `shown`, the current text. Later texts
 * with the same edit, for example to a partial, refer to the first one instead of repeating the edit.
 */
export function findFirstWithEdit(plan: PlanDocument, hunk: Hunk, shown: ShownField): FirstText | undefined {
  return firstTexts(plan).findUpTo(shown).get(toEditKey(hunk));
}

const firstTexts = memoize(({ changes }: PlanDocument) => {
  const first = new Map<string | undefined, FirstText>();
  const texts = sortByAction(changes).flatMap(({ address, fields }) =>
    fields.filter(({ cause }) => cause === "configured").map((field) => ({ address, field })),
  );
  const positions = new Map(texts.map(({ field }, at) => [field, at]));
  let compared = 0;
  return {
    findUpTo(field: ShownField) {
      const last = positions.get(field) ?? texts.length - 1;
      for (const text of texts.slice(compared, last + 1))
        for (const key of findChangedHunks(text.field, markdownContextLength).map(toEditKey))
          if (key !== undefined && !first.has(key)) first.set(key, text);
      compared = Math.max(compared, last + 1);
      return first;
    },
  };
});

/** Returns a key for an edit. Ignores surrounding lines, and returns undefined if only spacing differs. */
export function toEditKey({ segments }: Hunk): string | undefined {
  const spans = segments.map(({ kind, text }, at): Segment => {
    const lines = kind === "same" ? text.split("\n") : [];
    const own = at === 0 ? lines.at(-1) : at === segments.length - 1 ? lines[0] : undefined;
    return { kind, text: own ?? text };
  });
  if (spans.every(({ kind, text }) => kind === "same" || text.trim() === "")) return undefined;
  const texts = spans.map(({ kind, text }) => [kind, text.replace(/\s+/g, " ").trim()]);
  return JSON.stringify(texts.filter(([, text]) => text !== ""));
}
