import type { SourceRange } from "../diagnostics/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { TextPart } from "./text-range.js";

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
  const found = conflictInText(source.text.slice(start, end));
  return found && { source, start: start + found.start, end: start + found.end };
}

/** The same in a text. */
export function conflictInText(text: string): TextPart | undefined {
  const opening = lineIn(text, /^<{7} .*$/gm, 0);
  const middle = opening && lineIn(text, /^={7}\r?$/gm, opening.end);
  return middle && lineIn(text, /^>{7} .*$/gm, middle.end) && opening;
}

function lineIn(text: string, pattern: RegExp, from: number): TextPart | undefined {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found ? { start: found.index, end: found.index + found[0].trimEnd().length } : undefined;
}
