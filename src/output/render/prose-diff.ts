import { diffArrays } from "diff";
import { countWords, splitLines, splitUnits } from "./words.js";

/** A span of text from one version or from both. */
export interface Segment {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/*
 * Prompts have up to tens of thousands of characters, mostly in long lines, so replaced lines are compared word by
 * word. Myers' algorithm takes quadratic time in the number of edits, so both steps stop at a limit and show the rest
 * as replaced. Changes separated by a space or a comma are merged, and lines with little in common are replaced as a
 * whole, because finer diffs are unreadable.
 */
const maxEdits = 1_500;
/** Minimum share of common words in two compared lines. */
const minSharedRatio = 0.25;

/** Compares two texts. Removed spans come before added spans, and adjacent spans never have the same `kind`. */
export function diffProse(before: string, after: string): Segment[] {
  const changes = diffArrays(splitLines(before), splitLines(after), { maxEditLength: maxEdits });
  if (!changes) return mergeAdjacent(replaceAll(before, after));
  const segments: Segment[] = [];
  let [old, now, oldEnd, nowEnd] = [0, 0, 0, 0];
  for (const { value, removed, added } of changes) {
    const length = value.reduce((sum, line) => sum + line.length, 0);
    if (!added) oldEnd += length;
    if (!removed) nowEnd += length;
    if (added || removed) continue;
    for (const segment of diffLines(before.slice(old, oldEnd - length), after.slice(now, nowEnd - length)))
      segments.push(segment);
    segments.push({ kind: "same", text: after.slice(nowEnd - length, nowEnd) });
    [old, now] = [oldEnd, nowEnd];
  }
  return mergeAdjacent([...segments, ...diffLines(before.slice(old), after.slice(now))]);
}

/** Compares replaced lines word by word if the result is readable. */
function diffLines(before: string, after: string): Segment[] {
  if (before === "" || after === "") return replaceAll(before, after);
  const changes = diffArrays(splitUnits(before), splitUnits(after), { maxEditLength: maxEdits });
  const segments = (changes ?? []).map(
    ({ value, removed, added }): Segment => ({
      kind: removed ? "removed" : added ? "added" : "same",
      text: value.join(""),
    }),
  );
  const common = segments.reduce((sum, { kind, text }) => sum + (kind === "same" ? countWords(text) : 0), 0);
  const isOneSpan = segments.filter(({ kind }) => kind !== "same").length === 1;
  const readable = isOneSpan || common >= minSharedRatio * Math.max(countWords(before), countWords(after));
  return changes && readable ? mergeFragments(segments) : replaceAll(before, after);
}

/** Merges replaced spans that have no word between them. */
function mergeFragments(segments: readonly Segment[]): Segment[] {
  const merged: Segment[] = [];
  const clusters = mergeAdjacent(segments);
  for (const [at, segment] of clusters.entries()) {
    const thin = segment.kind === "same" && /^[^\p{L}\p{N}\n]{1,3}$/u.test(segment.text);
    if (
      thin &&
      (isReplacement(clusters, at - 2) || isReplacement(clusters, at + 1)) &&
      at > 0 &&
      clusters[at + 1]
    ) {
      merged.push({ kind: "removed", text: segment.text }, { kind: "added", text: segment.text });
    } else merged.push(segment);
  }
  return merged;
}

function isReplacement(segments: readonly Segment[], at: number): boolean {
  return segments[at]?.kind === "removed" && segments[at + 1]?.kind === "added";
}

/** Returns the old text as removed and the new one as added. */
function replaceAll(before: string, after: string): Segment[] {
  return [
    { kind: "removed", text: before },
    { kind: "added", text: after },
  ];
}

/**
 * Merges adjacent spans with the same `kind`. Between unchanged spans, removed text comes before added text. White
 * space that removed and added text share at their start or end is not a difference.
 */
function mergeAdjacent(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = [];
  const push = (kind: Segment["kind"], text: string) => {
    const last = result.at(-1);
    if (text === "") return;
    if (last?.kind === kind) result.splice(-1, 1, { kind, text: last.text + text });
    else result.push({ kind, text });
  };
  let removed = "";
  let added = "";
  const flush = () => {
    const head = findSharedSpace(removed, added);
    const [old, now] = [removed.slice(head.length), added.slice(head.length)];
    const tail = findSharedSpace(old, now, true);
    push("same", head);
    push("removed", old.slice(0, old.length - tail.length));
    push("added", now.slice(0, now.length - tail.length));
    push("same", tail);
    removed = "";
    added = "";
  };
  for (const { kind, text } of segments) {
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else if (text !== "") {
      flush();
      push("same", text);
    }
  }
  flush();
  return result;
}

/** Returns the white space that both strings start or end with. Returns "" if they differ there. */
function findSharedSpace(a: string, b: string, atEnd = false): string {
  const getEdgeSpace = (text: string) =>
    atEnd ? text.slice(text.trimEnd().length) : text.slice(0, text.length - text.trimStart().length);
  return getEdgeSpace(a) === getEdgeSpace(b) ? getEdgeSpace(a) : "";
}
