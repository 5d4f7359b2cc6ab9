import type { ShownField } from "../documents/index.js";
import { findHunks, type Hunk } from "./hunks.js";
import { diffProse, type Segment } from "./prose-diff.js";
import { canCompare } from "./value-text.js";
import { countWords } from "./words.js";

interface ProseSummary {
  readonly wordsIn: number;
  readonly wordsOut: number;
  /** Markdown headings of the changed sections. Contains untrusted text. */
  readonly sections: readonly string[];
}

/** Caches the results of a function by its argument. */
export function memoize<Key extends object, Result>(make: (key: Key) => Result) {
  const known = new WeakMap<Key, Result>();
  return (key: Key): Result => {
    const result = known.get(key) ?? make(key);
    known.set(key, result);
    return result;
  };
}

/** Returns a field's old and new text, or undefined if they cannot be compared. */
function findTexts(field: ShownField): readonly [before: string, after: string] | undefined {
  const { before, after } = field;
  return canCompare(field) && typeof before === "string" && typeof after === "string"
    ? [before, after]
    : undefined;
}

const diffField = memoize((field: ShownField) => {
  const texts = findTexts(field);
  return texts ? diffProse(...texts) : [];
});

/** Returns the differences, with `context` characters around them. */
export function findChangedHunks(field: ShownField, context: number): readonly Hunk[] {
  return findHunks(diffField(field), context, field);
}

/** Summarizes the changes to a text, or returns undefined if the old and new text cannot be compared. */
export function summarizeField(field: ShownField): ProseSummary | undefined {
  const texts = findTexts(field);
  if (!texts) return undefined;
  const segments = diffField(field);
  const [before, after] = texts;
  const countWordsOfKind = (kind: Segment["kind"]) =>
    segments.reduce((sum, segment) => sum + (segment.kind === kind ? countWords(segment.text) : 0), 0);
  const sections = [...listSections(segments, "added", after), ...listSections(segments, "removed", before)];
  return {
    wordsIn: countWordsOfKind("added"),
    wordsOut: countWordsOfKind("removed"),
    sections: [...new Set(sections)],
  };
}

/** Returns the headings of the sections that contain changes in one of the two versions. */
function listSections(segments: readonly Segment[], own: Segment["kind"], text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6}[ \t]+(\S.*)$/gm)];
  let at = 0;
  const spans = segments.flatMap(({ kind, text: { length } }) => {
    if (kind !== "same" && kind !== own) return [];
    at += length;
    return kind === own ? [{ start: at - length, end: at }] : [];
  });
  return headings.flatMap(({ index, 1: name = "" }, nth) => {
    const next = headings[nth + 1]?.index ?? text.length;
    return spans.some(({ start, end }) => start < next && end > index) ? [name.trim()] : [];
  });
}
