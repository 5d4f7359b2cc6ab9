import { type Diagnostic, inSourceOrder, type Place, type Severity } from "../diagnostics/index.js";
import { given, type Head, head } from "./document.js";

/** The diagnostics of the user's files, in the order of the files. */
export interface DiagnosticsDocument extends Head<"diagnostics"> {
  /** There is no error among them. */
  readonly valid: boolean;
  readonly summary: { readonly errors: number; readonly warnings: number };
  /** Without what the policies say. */
  readonly diagnostics: readonly ShownDiagnostic[];
  /** What the policies say; absent if nothing. */
  readonly policies?: readonly ShownFinding[];
}

/** One diagnostic. */
export interface ShownDiagnostic {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly place?: ShownPlace;
  /** What to do next; after a line break, lines to paste. */
  readonly hint?: string;
}

/** What a rule of the policies says; the code is the name of the rule. */
export interface ShownFinding extends ShownDiagnostic {
  /** The object it is about. Absent: the plan as a whole. */
  readonly address?: string;
  /** `prompt`, `links[0].url`; absent: the object as a whole. */
  readonly field?: string;
}

/** A range on one line: 1-based line and column; column and length in UTF-16 code units. */
export interface ShownPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  readonly text: string;
  /** The column at which `text` starts, if it is part of a very long line. */
  readonly text_column?: number;
}

/** Creates the document for diagnostics. */
export function diagnosticsDocument(diagnostics: readonly Diagnostic[]): DiagnosticsDocument {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  return {
    ...head("diagnostics"),
    valid: errors === 0,
    summary: { errors, warnings: diagnostics.length - errors },
    diagnostics: inSourceOrder(diagnostics)
      .filter(({ policy }) => !policy)
      .map(shownDiagnostic),
    ...given("policies", findingsIn(diagnostics)),
  };
}

function shownDiagnostic({ severity, code, message, place, hint }: Diagnostic): ShownDiagnostic {
  return {
    ...{ severity, code, message },
    ...given("place", place && shownPlace(place)),
    ...given("hint", hint),
  };
}

/** What policies say, apart from all other diagnostics; undefined if they say nothing. */
export function findingsIn(diagnostics: readonly Diagnostic[]): readonly ShownFinding[] | undefined {
  const findings = inSourceOrder(diagnostics).flatMap((diagnostic) => {
    const { policy } = diagnostic;
    if (!policy) return [];
    return [
      {
        ...shownDiagnostic(diagnostic),
        ...given("address", policy.address),
        ...given("field", policy.field),
      },
    ];
  });
  return findings.length > 0 ? findings : undefined;
}

function shownPlace({ file, line, column, length, text, textColumn }: Place): ShownPlace {
  return { file, line, column, length, text, ...given("text_column", textColumn) };
}
