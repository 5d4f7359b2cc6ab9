import { type Diagnostic, inSourceOrder, type Place } from "../../base/diagnostics/index.js";
import { head, type Parsed } from "./document.js";
import type { diagnosticsForm } from "./schemas/other-forms.js";

/** The diagnostics of the user's files, in the order of the files; `schemas/diagnostics-v1.schema.json` describes each key. */
export interface DiagnosticsDocument extends Parsed<typeof diagnosticsForm> {}

export type ShownDiagnostic = DiagnosticsDocument["diagnostics"][number];

/** What a rule of the policies says; the code is the name of the rule. */
export type ShownFinding = NonNullable<DiagnosticsDocument["policies"]>[number];

/** A range on one line: 1-based line and column; column and length in UTF-16 code units. */
export type ShownPlace = NonNullable<ShownDiagnostic["place"]>;

export function diagnosticsDocument(diagnostics: readonly Diagnostic[]): DiagnosticsDocument {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  return {
    ...head("diagnostics"),
    valid: errors === 0,
    summary: { errors, warnings: diagnostics.length - errors },
    diagnostics: inSourceOrder(diagnostics)
      .filter(({ policy }) => !policy)
      .map(shownDiagnostic),
    policies: findingsIn(diagnostics),
  };
}

function shownDiagnostic({ severity, code, message, place, hint }: Diagnostic): ShownDiagnostic {
  return {
    ...{ severity, code, message },
    place: place && shownPlace(place),
    hint,
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
        address: policy.address,
        field: policy.field,
      },
    ];
  });
  return findings.length > 0 ? findings : undefined;
}

function shownPlace({ file, line, column, length, text, textColumn }: Place): ShownPlace {
  return { file, line, column, length, text, text_column: textColumn };
}
