import type { ShownField } from "../documents/index.js";
import { findHunks, type Hunk } from "./hunks.js";
import { diffProse, type Segment } from "./prose-diff.js";
import { withoutMoved } from "./prose-facts.js";
import { canCompare } from "./value-text.js";
import { wordCount } from "./words.js";

/** What differs in a text. */
interface ProseChanges {
  /** The paragraphs that differ, without what only moved; a line end within one is `\v`. */
  readonly paragraphs: readonly (readonly Segment[])[];
  readonly wordsIn: number;
  readonly wordsOut: number;
  /** The Markdown headings above all that differs; foreign text. */
  readonly sections: readonly string[];
}

/** Remembers the results, which are asked for several times. */
export function remembered<Key extends object, Result>(make: (key: Key, context: number) => Result) {
  const known = new WeakMap<Key, Map<number, Result>>();
  return (key: Key, context = 60): Result => {
    const results = known.get(key) ?? new Map<number, Result>();
    const result = results.get(context) ?? make(key, context);
    known.set(key, results.set(context, result));
    return result;
  };
}

/** The two texts of a field, if there are two to compare. */
function findTexts(field: ShownField): readonly [before: string, after: string] | undefined {
  const { before, after } = field;
  return canCompare(field) && typeof before === "string" && typeof after === "string"
    ? [before, after]
    : undefined;
}

const diffField = remembered((field: ShownField) => {
  const texts = findTexts(field);
  return texts ? diffProse(...texts) : [];
});

/** The differences line by line, with so many characters around them. */
export const changedHunks = remembered((field: ShownField, context): readonly Hunk[] =>
  findHunks(diffField(field), context, field),
);

/** Compares the two texts of a field; undefined if there are not two. */
export const compareField = remembered((field: ShownField): ProseChanges | undefined => {
  const texts = findTexts(field);
  if (!texts) return undefined;
  const segments = diffField(field);
  const [before, after] = texts;
  const [old, now] = withoutMoved(before, after);
  const prose = diffProse(asLines(old), asLines(now));
  const words = (kind: Segment["kind"]) =>
    prose.reduce((sum, segment) => sum + (segment.kind === kind ? wordCount(segment.text) : 0), 0);
  const sections = [...sectionsWith(segments, "added", after), ...sectionsWith(segments, "removed", before)];
  return {
    paragraphs: toParagraphs(prose).filter((parts) => parts.some(({ kind }) => kind !== "same")),
    wordsIn: words("added"),
    wordsOut: words("removed"),
    sections: [...new Set(sections)],
  };
});

/** Each paragraph as a line, so that they are compared as such: how many blank lines separate them is no difference. */
function asLines(text: string): string {
  const paragraphs = text.trim().split(/\r?\n\s*\n/);
  return paragraphs.map((paragraph) => paragraph.replace(/\r?\n/g, "\v")).join("\n");
}

function toParagraphs(segments: readonly Segment[]): Segment[][] {
  const paragraphs: Segment[][] = [[]];
  for (const { kind, text } of segments) {
    for (const [at, part] of text.split("\n").entries()) {
      // Where paragraphs are joined or split, and no word differs, their end is the difference.
      if (at > 0 && kind !== "same" && text.trim() === "") paragraphs.at(-1)?.push({ kind, text: "\n" });
      if (at > 0) paragraphs.push([]);
      if (part !== "") paragraphs.at(-1)?.push({ kind, text: part });
    }
  }
  return paragraphs;
}

/** The headings of the sections of a version that its own spans are in. */
function sectionsWith(segments: readonly Segment[], own: Segment["kind"], text: string): string[] {
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
