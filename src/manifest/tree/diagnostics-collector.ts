import {
  type Diagnostic,
  inSourceOrder,
  type Place,
  type PolicyFacts,
  placeOf,
  type Severity,
  type Source,
  type SourceRange,
} from "../../diagnostics/index.js";
import { inCode } from "../forms/spelling.js";
import { isCode } from "./is-code.js";

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
  collected(): Diagnostic[];
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

/**
 * Source lines are cut out only after everything was read, because a secret may be found after an error: `{
 * secret_value: sk-…, secrt_name: x }` is reported for its second key.
 */
export function createCollector(): DiagnosticsCollector {
  const drafts = new Map<string, Draft>();
  const redacted = new Map<Source, SourceRange[]>();
  let isIncomplete = false;
  let hasErrors = false;
  const counts = { error: 0, warning: 0 };
  const add = (severity: Severity, draft: Omit<Draft, "severity">) => {
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
    collected() {
      const cuts = new Map(Array.from(redacted, ([source, ranges]) => [source, joined(ranges)]));
      return inSourceOrder(Array.from(drafts.values(), (draft) => diagnosticOf(draft, cuts)));
    },
  };
}

/** The maximum number of errors, and of warnings. */
const maxOfEach = 1000;

interface Draft {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly at?: SourceRange | undefined;
  readonly hint?: string | undefined;
  readonly policy?: PolicyFacts;
}

function diagnosticOf(draft: Draft, redacted: ReadonlyMap<Source, readonly TextRange[]>): Diagnostic {
  const { severity, code, at, policy } = draft;
  const words = at && isCode(at.source.file) ? inCode : (sentence: string) => sentence;
  const message = words(draft.message) + (at?.owner ? ` (${at.owner})` : "");
  const hint = draft.hint && words(draft.hint);
  const place = at && withoutRedacted(placeOf(at), at, redacted.get(at.source) ?? []);
  return {
    severity,
    code,
    message,
    ...(place ? { place } : {}),
    ...(hint ? { hint } : {}),
    ...(policy ? { policy } : {}),
  };
}

/** The place with "…" for every redacted range in its text; column and length refer to the shortened text. */
function withoutRedacted(place: Place, range: SourceRange, redacted: readonly TextRange[]): Place {
  const { column, textColumn = 1 } = place;
  const at = Math.min(Math.max(range.start, 0), range.source.text.length);
  const textStart = at - (column - textColumn);
  const cuts: TextRange[] = [];
  for (let i = firstEndingBehind(textStart, redacted); i < redacted.length; i++) {
    const { start = 0, end = 0 } = redacted[i] ?? {};
    const cut = { start: Math.max(0, start - textStart), end: Math.min(end - textStart, place.text.length) };
    if (cut.start >= place.text.length) break;
    if (cut.start < cut.end) cuts.push(cut);
  }
  if (cuts.length === 0) return place;
  let text = "";
  let copied = 0;
  for (const { start, end } of cuts) {
    text += `${place.text.slice(copied, start)}…`;
    copied = end;
  }
  text += place.text.slice(copied);
  const start = moved(at - textStart, cuts);
  const last = moved(at - textStart + place.length - 1, cuts);
  return { ...place, text, column: start + textColumn, length: Math.max(1, last - start + 1) };
}

/** Start and end of a range of a text. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Sorted, with overlapping ranges merged. */
function joined(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const before = result.at(-1);
    if (before && start <= before.end) {
      result[result.length - 1] = { start: before.start, end: Math.max(before.end, end) };
    } else result.push({ start, end });
  }
  return result;
}

/** Binary search: the index of the first range that ends after `at`. */
function firstEndingBehind(at: number, ranges: readonly TextRange[]): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The position of the code unit at `at` after every cut became one "…". */
function moved(at: number, cuts: readonly TextRange[]): number {
  let by = 0;
  for (const { start, end } of cuts) {
    if (at >= end) by += end - start - 1;
    else if (at > start) by += at - start;
  }
  return at - by;
}
