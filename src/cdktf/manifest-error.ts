import type { Diagnostic } from "../diagnostics/index.js";

/** Something is wrong with the files of a manifest: its message says what, line by line. */
export class ManifestError extends Error {
  constructor(file: string, lines: readonly string[]) {
    super([`${file} cannot be used:`, ...lines].join("\n  "));
    this.name = "ManifestError";
  }
}

/** One line: what, where, what to do next. */
export function textOf({ severity, code, message, place, hint }: Diagnostic): string {
  const where = place ? ` (${place.file}:${place.line}:${place.column})` : "";
  return `${severity}[${code}] ${message}${where}${hint ? `; ${hint}` : ""}`;
}
