import type { SourceRange } from "../../../base/diagnostics/index.js";
import { conflictHint, conflictInText } from "../../../base/text/index.js";
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

/** The first line of git's first conflict with all three markers. */
export function conflictIn({ source, start, end }: SourceRange): SourceRange | undefined {
  const found = conflictInText(source.text.slice(start, end));
  return found && { source, start: start + found.start, end: start + found.end };
}
