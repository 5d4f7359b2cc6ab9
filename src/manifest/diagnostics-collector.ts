import {
  type Diagnostic,
  inSourceOrder,
  type Place,
  placeOf,
  type Severity,
  type Source,
  type SourceRange,
} from "../diagnostics/index.js";
import { isCode } from "./is-code.js";
import { inCode } from "./spelling.js";

/**
 * Collects what is wrong while files are read; each thing once, however often it is come across. Of errors and of warnings
 * the first thousand are kept: nobody reads more, and a file can be wrong in a million places.
 */
export interface DiagnosticsCollector {
  error(code: string, message: string, at?: SourceRange, hint?: string): void;
  warning(code: string, message: string, at?: SourceRange, hint?: string): void;
  /** A range that may hold a secret: no line shown ever includes it. */
  redact(range: SourceRange): void;
  /** Names in it may be missing, so that a reference to nothing means nothing. */
  incomplete(): void;
  readonly isIncomplete: boolean;
  readonly hasErrors: boolean;
  collected(): Diagnostic[];
}

/**
 * Lines are cut out of the files only when everything was read, since what must not be shown may be found after what
 * is wrong: `{ secret_value: sk-…, secrt_name: x }` is complained about for its second key.
 */
export function createCollector(): DiagnosticsCollector {
  const drafts = new Map<string, Draft>();
  const redacted = new Map<Source, SourceRange[]>();
  let isIncomplete = false;
  let hasErrors = false;
  const kept = { error: 0, warning: 0 };
  const add = (severity: Severity) => (code: string, message: string, at?: SourceRange, hint?: string) => {
    if (severity === "error") hasErrors = true;
    if (kept[severity] > maxOfEach) return;
    const key = JSON.stringify([code, message, at?.source.file, at?.start]);
    if (drafts.has(key)) return;
    const more = {
      code: `more-${severity}s`,
      message: `there are more ${severity}s than these ${maxOfEach}`,
      at: undefined,
      hint: "correct these first",
    };
    drafts.set(key, { severity, ...(++kept[severity] > maxOfEach ? more : { code, message, at, hint }) });
  };
  return {
    error: add("error"),
    warning: add("warning"),
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

/** How many errors are kept, and how many warnings. */
const maxOfEach = 1000;

interface Draft {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly at: SourceRange | undefined;
  readonly hint: string | undefined;
}

function diagnosticOf(draft: Draft, redacted: ReadonlyMap<Source, readonly TextRange[]>): Diagnostic {
  const { severity, code, at } = draft;
  const words = at && isCode(at.source.file) ? inCode : (sentence: string) => sentence;
  const message = words(draft.message) + (at?.owner ? ` (${at.owner})` : "");
  const hint = draft.hint && words(draft.hint);
  const place = at && withoutRedacted(placeOf(at), at, redacted.get(at.source) ?? []);
  return { severity, code, message, ...(place ? { place } : {}), ...(hint ? { hint } : {}) };
}

/** The place with "…" for every redacted range of its text; the column and length follow the shorter text. */
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

/** Where a range of a text begins, and where it ends. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** In order, and each apart from the next. */
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

/** Binary search: the index of the first range that ends behind `at`. */
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

/** Where the code unit at `at` is once every cut is one "…". */
function moved(at: number, cuts: readonly TextRange[]): number {
  let by = 0;
  for (const { start, end } of cuts) {
    if (at >= end) by += end - start - 1;
    else if (at > start) by += at - start;
  }
  return at - by;
}
