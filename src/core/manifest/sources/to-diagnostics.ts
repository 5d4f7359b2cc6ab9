import {
  type Diagnostic,
  inSourceOrder,
  type Place,
  type SourceFile,
  type SourceRange,
  toPlace,
} from "../../../base/diagnostics/index.js";
import { inCode } from "../forms/spelling.js";
import type { DiagnosticDraft, DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { isCode } from "../tree/project-files.js";
import { redactSecretsInCode } from "./redact-text.js";

/**
 * The diagnostics that were collected, in the order of the files. Source lines are cut out only now that everything was
 * read, because a secret may be found after an error: `{ secret_value: sk-…, secrt_name: x }` is reported for its second
 * key.
 */
export function toDiagnostics(collector: DiagnosticsCollector): Diagnostic[] {
  const drafts = [...collector.drafts];
  for (const source of new Set(drafts.flatMap(({ at }) => at?.source ?? [])))
    if (isCode(source.file)) redactSecretsInCode(source, collector);
  return inSourceOrder(drafts.map((draft) => toDiagnostic(draft, collector.redacted)));
}

function toDiagnostic(
  draft: DiagnosticDraft,
  redacted: ReadonlyMap<SourceFile, readonly TextRange[]>,
): Diagnostic {
  const { severity, code, at, policy } = draft;
  const words = at && isCode(at.source.file) ? inCode : (sentence: string) => sentence;
  const message = words(draft.message) + (at?.owner ? ` (${at.owner})` : "");
  const hint = draft.hint && words(draft.hint);
  const place = at && withoutRedacted(toPlace(at), at, redacted.get(at.source) ?? []);
  return { severity, code, message, place, ...(hint ? { hint } : {}), policy };
}

/** The place with "…" for every redacted range in its text; column and length refer to the shortened text. */
function withoutRedacted(place: Place, range: SourceRange, redacted: readonly TextRange[]): Place {
  const { column, textColumn = 1 } = place;
  const at = Math.min(Math.max(range.start, 0), range.source.text.length);
  const textStart = at - (column - textColumn);
  const cuts = joined(
    redacted
      .filter(({ start, end }) => end > textStart && start < textStart + place.text.length)
      .map(({ start, end }) => ({
        start: Math.max(0, start - textStart),
        end: Math.min(end - textStart, place.text.length),
      })),
  );
  if (cuts.length === 0) return place;
  let text = "";
  let copied = 0;
  for (const { start, end } of cuts) {
    text += `${place.text.slice(copied, start)}…`;
    copied = end;
  }
  text += place.text.slice(copied);
  const start = moved(at - textStart, cuts);
  const last = moved(at - textStart + place.length - 1, cuts);
  return { ...place, text, column: start + textColumn, length: Math.max(1, last - start + 1) };
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Those that are not empty, sorted, with overlapping ranges merged. */
function joined(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  const found = ranges.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
  for (const { start, end } of found) {
    const before = result.at(-1);
    if (before && start <= before.end) {
      result[result.length - 1] = { start: before.start, end: Math.max(before.end, end) };
    } else result.push({ start, end });
  }
  return result;
}

/** The position of the code unit at `at` after every cut became one "…". */
function moved(at: number, cuts: readonly TextRange[]): number {
  let by = 0;
  for (const { start, end } of cuts) {
    if (at >= end) by += end - start - 1;
    else if (at > start) by += at - start;
  }
  return at - by;
}
