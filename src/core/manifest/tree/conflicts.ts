import type { SourceRange } from "../../../base/diagnostics/index.js";
import { conflictHint, findConflictMarkers } from "../../../base/text/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";

/** Reports conflict markers left by an unfinished merge. */
export function reportConflict(conflict: SourceRange, collector: DiagnosticsCollector): void {
  collector.error(
    "merge-conflict",
    `${conflict.source.file} contains git conflict markers`,
    conflict,
    conflictHint,
  );
}

/** Finds the opening marker of the first complete git conflict. */
export function findConflict({ source, start, end }: SourceRange): SourceRange | undefined {
  const found = findConflictMarkers(source.text.slice(start, end));
  return found && { source, start: start + found.start, end: start + found.end };
}
