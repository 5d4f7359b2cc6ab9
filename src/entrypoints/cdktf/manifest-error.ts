/** The files of a manifest have errors: the message lists them, one per line. */
export class ManifestError extends Error {
  constructor(file: string, lines: readonly string[]) {
    super([`${file} cannot be used:`, ...lines].join("\n  "));
    this.name = "ManifestError";
  }
}

/**
 * A diagnostic, without its type: this becomes CommonJS, which cannot import types from ES modules
 * everywhere.
 */
interface ManifestDiagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly place?: { readonly file: string; readonly line: number; readonly column: number } | undefined;
  readonly hint?: string | undefined;
}

/** One line: what, where, what to do next. */
export function formatDiagnostic({ severity, code, message, place, hint }: ManifestDiagnostic): string {
  const where = place ? ` (${place.file}:${place.line}:${place.column})` : "";
  return `${severity}[${code}] ${message}${where}${hint ? `; ${hint}` : ""}`;
}
