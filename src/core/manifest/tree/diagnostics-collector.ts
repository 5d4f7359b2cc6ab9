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
 * Collects diagnostics while files are read, each once. Keeps the first thousand errors and the first
 * thousand warnings: nobody reads more, and a file can have a million.
 */
export function createCollector() {
  const drafts = new Map<string, DiagnosticDraft>();
  const redacted = new Map<SourceFile, SourceRange[]>();
  let isIncomplete = false;
  let hasErrors = false;
  const counts = { error: 0, warning: 0 };
  const add = (severity: Severity, draft: Omit<DiagnosticDraft, "severity">) => {
    const { code, message, at } = draft;
    // What breaks a rule can still be read, compared and pulled.
    if (severity === "error" && !draft.policy) hasErrors = true;
    if (counts[severity] > maxOfEach) return;
    const key = JSON.stringify([severity, code, message, at?.source.file, at?.start]);
    if (drafts.has(key)) return;
    const more = {
      code: `more-${severity}s`,
      message: `there are more than ${maxOfEach} ${severity}s`,
      at: undefined,
      hint: "fix these first",
    };
    drafts.set(key, { severity, ...(++counts[severity] > maxOfEach ? more : draft) });
  };
  return {
    error(code: string, message: string, at?: SourceRange, hint?: string) {
      add("error", { code, message, at, hint });
    },
    warning(code: string, message: string, at?: SourceRange, hint?: string) {
      add("warning", { code, message, at, hint });
    },
    finding: (severity: Severity, finding: Finding) => add(severity, finding),
    /** A range that may hold a secret: no output includes it. */
    redact(range: SourceRange) {
      const ranges = redacted.get(range.source);
      if (ranges) ranges.push(range);
      else redacted.set(range.source, [range]);
    },
    /** Some declarations could not be read, so unresolved references are not reported. */
    incomplete() {
      isIncomplete = true;
    },
    get isIncomplete() {
      return isIncomplete;
    },
    get hasErrors() {
      return hasErrors;
    },
    /** What was collected, and where it must not be shown: `toDiagnostics` puts the two together. */
    get drafts(): Iterable<DiagnosticDraft> {
      return drafts.values();
    },
    redacted: redacted as ReadonlyMap<SourceFile, readonly SourceRange[]>,
  };
}

const maxOfEach = 1000;

/** A diagnostic before its place is cut out of its file. */
export interface DiagnosticDraft {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
  readonly hint?: string | undefined;
  readonly policy?: PolicyFacts;
}
