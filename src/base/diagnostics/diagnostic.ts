import { distance } from "fastest-levenshtein";

/** Diagnostic severity. An `error` stops the command, and a `warning` does not. */
export type Severity = "error" | "warning";

/** A range on one line of a project file. */
export interface SourceLocation {
  /** Path relative to the project folder, with `/`. */
  readonly file: string;
  /** Line number, 1-based. */
  readonly line: number;
  /** Column, 1-based, in UTF-16 code units as editors count them. */
  readonly column: number;
  /** Length of the range in code units, at least 1. */
  readonly length: number;
  /** Source line without its line ending. For a very long line, only the part around the range. */
  readonly text: string;
  /** Column where `text` starts, 1-based. Default: 1. */
  readonly textColumn?: number;
}

/** A problem in the project files, or a notice for the user. Never contains secret values. */
export interface Diagnostic {
  readonly severity: Severity;
  /** Stable code in kebab-case, for scripts to match on. */
  readonly code: string;
  /** Problem in one sentence. Includes the object's address, if any. */
  readonly message: string;
  readonly location?: SourceLocation;
  /** Next step for the user. */
  readonly hint?: string;
  /** Set if a project policy reported the finding. `code` is then the name of the rule. */
  readonly policy?: PolicyFacts;
}

/** Subject of a policy finding. */
export interface PolicyFacts {
  /** Object address. Omitted if the finding is about the whole plan. */
  readonly address?: string;
  /** Field path, such as `prompt` or `links[0].url`. Omitted if the finding is about the whole object. */
  readonly field?: string;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** Returns a copy ordered by file, line and column. Diagnostics without a location come first. */
export function sortBySource(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => {
    const [file, other] = [a.location?.file ?? "", b.location?.file ?? ""];
    if (file !== other) return file < other ? -1 : 1;
    return (
      (a.location?.line ?? 0) - (b.location?.line ?? 0) ||
      (a.location?.column ?? 0) - (b.location?.column ?? 0)
    );
  });
}

/**
 * Returns the candidate closest to `word`, for a "did you mean" hint. Returns undefined for a very long `word`, or if
 * more than a third of the letters differ. Checks a limited number of candidates.
 */
export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxWordLength) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    if (++compared > maxCandidates) break;
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < bestDistance) [best, bestDistance] = [candidate, far];
  }
  return best;
}

/** Returns "did you mean …?" if a candidate is close enough to `word`, and `otherwise` if not. */
export function suggest(word: string, candidates: Iterable<string>, otherwise: string): string {
  const meant = findNearest(word, candidates);
  return meant ? `did you mean "${meant}"?` : otherwise;
}

const maxWordLength = 200;
const maxCandidates = 1000;
