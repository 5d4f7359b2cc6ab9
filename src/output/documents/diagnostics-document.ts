import { type Diagnostic, type SourceLocation, sortBySource } from "../../base/diagnostics/index.js";
import { ruleForms } from "../../core/manifest/index.js";
import { createHead, type Parsed } from "./document.js";
import type { diagnosticsForm } from "./schemas/other-forms.js";

/** Diagnostics for the user's files, in file order. `schemas/diagnostics-v1.schema.json` describes each key. */
export interface DiagnosticsDocument extends Parsed<typeof diagnosticsForm> {}

export type ShownDiagnostic = DiagnosticsDocument["diagnostics"][number];

/** Policy finding. Its code is the name of the rule. */
export type ShownFinding = NonNullable<DiagnosticsDocument["policies"]>[number];

/** Range on one line. Line and column are 1-based, and column and length count UTF-16 code units. */
export type ShownLocation = NonNullable<ShownDiagnostic["location"]>;

export function toDiagnosticsDocument(diagnostics: readonly Diagnostic[]): DiagnosticsDocument {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  return {
    ...createHead("diagnostics"),
    valid: errors === 0,
    summary: { errors, warnings: diagnostics.length - errors },
    diagnostics: sortBySource(diagnostics)
      .filter(({ policy }) => !policy)
      .map(toShownDiagnostic),
    policies: listFindings(diagnostics),
  };
}

/** Maximum number of warnings per code that are shown in full. */
const maxRepeated = 3;

/**
 * Keeps the first warnings of each code and counts the others. Keeps all findings of policy functions, because
 * `validate` does not list them.
 */
export function separateRepeatedWarnings<Shown extends ShownDiagnostic>(
  shown: readonly Shown[],
): { readonly kept: readonly Shown[]; readonly repeated: ReadonlyMap<string, number> } {
  const seen = new Map<string, number>();
  const kept = shown.filter((one) => {
    const isFunction = "address" in one && !Object.hasOwn(ruleForms, one.code);
    if (one.severity === "error" || isFunction) return true;
    const number = (seen.get(one.code) ?? 0) + 1;
    seen.set(one.code, number);
    return number <= maxRepeated;
  });
  const repeated = [...seen].flatMap(([code, number]): [string, number][] =>
    number > maxRepeated ? [[code, number - maxRepeated]] : [],
  );
  return { kept, repeated: new Map(repeated) };
}

function toShownDiagnostic({ severity, code, message, location, hint }: Diagnostic): ShownDiagnostic {
  return {
    ...{ severity, code, message },
    location: location && toShownLocation(location),
    hint,
  };
}

/** Returns the policy findings among the diagnostics, or undefined if there are none. */
export function listFindings(diagnostics: readonly Diagnostic[]): readonly ShownFinding[] | undefined {
  const findings = sortBySource(diagnostics).flatMap((diagnostic) => {
    const { policy } = diagnostic;
    if (!policy) return [];
    return [
      {
        ...toShownDiagnostic(diagnostic),
        address: policy.address,
        field: policy.field,
      },
    ];
  });
  return findings.length > 0 ? findings : undefined;
}

function toShownLocation({ file, line, column, length, text, textColumn }: SourceLocation): ShownLocation {
  return { file, line, column, length, text, text_column: textColumn };
}
