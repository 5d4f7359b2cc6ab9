import type { SourceRange } from "../diagnostics/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";

/** Reports a file that cannot be read because of an unfinished merge. */
export function reportConflict(conflict: SourceRange, collector: DiagnosticsCollector): void {
  collector.error(
    "merge-conflict",
    `${conflict.source.file} has git's conflict markers`,
    conflict,
    conflictHint,
  );
}

/** How to fix it. */
export const conflictHint = "finish the merge: keep one side or combine both, and remove the markers";

/** The first line of git's first conflict with all three markers. */
export function conflictIn({ source, start, end }: SourceRange): SourceRange | undefined {
  const opening = lineIn(source.text, /^<{7} .*$/gm, start);
  const middle = opening && lineIn(source.text, /^={7}\r?$/gm, opening.end);
  const closing = middle && lineIn(source.text, /^>{7} .*$/gm, middle.end);
  return closing && closing.end <= end ? { source, ...opening } : undefined;
}

function lineIn(text: string, pattern: RegExp, from: number): { start: number; end: number } | undefined {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found ? { start: found.index, end: found.index + found[0].trimEnd().length } : undefined;
}
