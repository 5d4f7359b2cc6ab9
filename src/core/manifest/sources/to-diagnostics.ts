import {
  type Diagnostic,
  type SourceFile,
  type SourceLocation,
  type SourceRange,
  sortBySource,
  toLocation,
} from "../../../base/diagnostics/index.js";
import { rewriteForCode } from "../forms/spelling.js";
import type { DiagnosticDraft, DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { isCode } from "../tree/project-files.js";
import { redactSecretsInCode } from "./redact-text.js";

/**
 * Returns the collected diagnostics in file order. Source lines are added only now, because a secret may be found after
 * the error. For example, the error in `{ secret_value: sk-…, secrt_name: x }` is reported for the second key.
 */
export function toDiagnostics(collector: DiagnosticsCollector): Diagnostic[] {
  const drafts = [...collector.drafts];
  for (const source of new Set(drafts.flatMap(({ at }) => at?.source ?? [])))
    if (isCode(source.file)) redactSecretsInCode(source, collector);
  return sortBySource(drafts.map((draft) => toDiagnostic(draft, collector.redacted)));
}

function toDiagnostic(
  draft: DiagnosticDraft,
  redacted: ReadonlyMap<SourceFile, readonly SourceRange[]>,
): Diagnostic {
  const { severity, code, at, policy } = draft;
  const rewrite = at && isCode(at.source.file) ? rewriteForCode : (sentence: string) => sentence;
  const message = rewrite(draft.message) + (at?.owner ? ` (${at.owner})` : "");
  const hint = draft.hint && rewrite(draft.hint);
  const location = at && maskSecretLine(toLocation(at), at, redacted.get(at.source) ?? []);
  return { severity, code, message, location, ...(hint ? { hint } : {}), policy };
}

/** Hides a line that may contain a secret. */
function maskSecretLine(
  location: SourceLocation,
  { source, start }: SourceRange,
  redacted: readonly SourceRange[],
): SourceLocation {
  const { text } = source;
  const at = Math.min(Math.max(start, 0), text.length);
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  const lineEnd = end === -1 ? text.length : end;
  const isHidden = redacted.some((one) => one.start < one.end && one.end > lineStart && one.start < lineEnd);
  return isHidden ? { ...location, text: "…", column: 1, textColumn: 1, length: 1 } : location;
}
