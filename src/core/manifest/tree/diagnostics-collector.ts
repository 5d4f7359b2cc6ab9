import type { PolicyFacts, Severity, Source, SourceRange } from "../../../base/diagnostics/index.js";

/**
 * Collects diagnostics while files are read, each once. Keeps the first thousand errors and the first
 * thousand warnings: nobody reads more, and a file can have a million.
 */
export interface DiagnosticsCollector {
  error(code: string, message: string, at?: SourceRange, hint?: string): void;
  warning(code: string, message: string, at?: SourceRange, hint?: string): void;
  /** What a rule of the policies says. */
  finding(severity: Severity, finding: Finding): void;
  /** A range that may hold a secret: no output includes it. */
  redact(range: SourceRange): void;
  /** Some declarations could not be read, so unresolved references are not reported. */
  incomplete(): void;
  readonly isIncomplete: boolean;
  readonly hasErrors: boolean;
  /** What was collected, and where it must not be shown: `toDiagnostics` puts the two together. */
  readonly drafts: Iterable<DiagnosticDraft>;
  readonly redacted: ReadonlyMap<Source, readonly SourceRange[]>;
}

/** What a rule found. */
export interface Finding {
  /** The name of the rule. */
  readonly code: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
  readonly hint?: string | undefined;
  readonly policy: PolicyFacts;
}

/** A collector of nothing yet. */
export function createCollector(): DiagnosticsCollector {
  const drafts = new Map<string, DiagnosticDraft>();
  const redacted = new Map<Source, SourceRange[]>();
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
    error: (code, message, at, hint) => add("error", { code, message, at, hint }),
    warning: (code, message, at, hint) => add("warning", { code, message, at, hint }),
    finding: add,
    redact(range) {
      const ranges = redacted.get(range.source);
      if (ranges) ranges.push(range);
      else redacted.set(range.source, [range]);
    },
    incomplete() {
      isIncomplete = true;
    },
    get isIncomplete() {
      return isIncomplete;
    },
    get hasErrors() {
      return hasErrors;
    },
    get drafts() {
      return drafts.values();
    },
    redacted,
  };
}

/** The maximum number of errors, and of warnings. */
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
