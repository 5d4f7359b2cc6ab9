import type { ShownField } from "../documents/index.js";
import { findHunks, type Hunk } from "./hunks.js";
import { fenced, type Markdown } from "./markdown.js";
import { count } from "./phrases.js";
import { diffProse, type Segment } from "./prose-diff.js";
import { splitRows } from "./rows.js";

const context = 60;

/** The differences of two texts, each with its line in the new text. */
export function proseHunks(before: string, after: string, place?: ShownField["place"]): Hunk[] {
  return findHunks(diffProse(before, after), context, place?.line);
}

/** The same as a fenced diff. */
export function hunksMarkdown(
  hunks: readonly Hunk[],
  mostHunks: number,
  place?: ShownField["place"],
): Markdown {
  const file = place ? `${place.file} ` : "";
  const lines = hunks
    .slice(0, mostHunks)
    .flatMap((hunk) => [`@@ ${file}line ${hunk.line} @@`, ...hunkLines(hunk)]);
  const rest = hunks.length - mostHunks;
  return fenced(rest > 0 ? [...lines, `@@ ${count(rest, "more change")} not shown here @@`] : lines, "diff");
}

/** Lines of both versions come before and after; between them the old lines, then the new ones. */
function hunkLines(hunk: Hunk): string[] {
  const old = side(hunk, "removed");
  const now = side(hunk, "added");
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return [
    ...now.slice(0, head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...now.slice(now.length - tail).map((line) => `  ${line}`),
  ];
}

/** The lines of one version: unchanged spans, and spans of this version. */
function side({ segments, cutBefore, cutAfter }: Hunk, kind: Segment["kind"]): string[] {
  const lines = [cutBefore ? "…" : ""];
  const own = segments.filter((segment) => segment.kind === "same" || segment.kind === kind);
  for (const [at, segment] of own.entries()) {
    const ends = /^\r?\n/.test(own[at + 1]?.text ?? "");
    for (const [row, text] of splitRows(segment, ends).entries()) {
      if (row > 0) lines.push("");
      lines.push(`${lines.pop() ?? ""}${text}`);
    }
  }
  if (cutAfter) lines.push(`${lines.pop() ?? ""}…`);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
