import type { PolicyFacts, Severity, SourceFile, SourceRange } from "../../../base/diagnostics/index.js";

export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
  readonly hint?: string | undefined;
  readonly policy: PolicyFacts;
}

export type DiagnosticsCollector = ReturnType<typeof createCollector>;

/**
 * Collects diagnostics without duplicates while files are read. Keeps the first thousand errors and the first thousand
 * warnings, because a file can have a million.
 */
export function createCollector() {
  const drafts = new Map<string, DiagnosticDraft>();
  const redacted = new Map<SourceFile, SourceRange[]>();
  let isIncomplete = false;
  let hasErrors = false;
  const counts = { error: 0, warning: 0 };
  const add = (severity: Severity, draft: Omit<DiagnosticDraft, "severity">) => {
    const { code, message, at } = draft;
    // Policy violations do not count, because the object can still be read, compared and pulled.
    if (severity === "error" && !draft.policy) hasErrors = true;
    if (counts[severity] > maxPerSeverity) return;
    const key = JSON.stringify([severity, code, message, at?.source.file, at?.start]);
    if (drafts.has(key)) return;
    const more = {
      code: `more-${severity}s`,
      message: `there are more than ${maxPerSeverity} ${severity}s`,
      at: undefined,
      hint: "fix these first",
    };
    drafts.set(key, { severity, ...(++counts[severity] > maxPerSeverity ? more : draft) });
  };
  return {
    error(code: string, message: string, at?: SourceRange, hint?: string) {
      add("error", { code, message, at, hint });
    },
    warning(code: string, message: string, at?: SourceRange, hint?: string) {
      add("warning", { code, message, at, hint });
    },
    finding: (severity: Severity, finding: Finding) => add(severity, finding),
    /** Hides a range from all output, because it may contain a secret. */
    redact(range: SourceRange) {
      const ranges = redacted.get(range.source);
      if (ranges) ranges.push(range);
      else redacted.set(range.source, [range]);
    },
    /** Marks the read as incomplete. Missing objects are then not reported, because an unread file may declare them. */
    incomplete() {
      isIncomplete = true;
    },
    get isIncomplete() {
      return isIncomplete;
    },
    get hasErrors() {
      return hasErrors;
    },
    /** Drafts, which `toDiagnostics` combines with the redacted ranges. */
    get drafts(): Iterable<DiagnosticDraft> {
      return drafts.values();
    },
    redacted: redacted as ReadonlyMap<SourceFile, readonly SourceRange[]>,
  };
}

const maxPerSeverity = 1000;

/** A diagnostic without its source line. */
export interface DiagnosticDraft {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
  readonly hint?: string | undefined;
  readonly policy?: PolicyFacts;
}
