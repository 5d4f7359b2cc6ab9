import {
  type Diagnostic,
  inSourceOrder,
  type Place,
  placeOf,
  type Severity,
  type Source,
  type Spot,
} from "../diagnostics/index.js";
import { isCode } from "./definitions.js";
import { inCode } from "./spelling.js";

/** Collects what is wrong while files are read; each thing once, however often it is come across. */
export interface Findings {
  error(code: string, message: string, at?: Spot, hint?: string): void;
  warning(code: string, message: string, at?: Spot, hint?: string): void;
  /** A stretch that may hold a secret: no line shown ever includes it. */
  conceal(spot: Spot): void;
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
export function startFindings(): Findings {
  const drafts = new Map<string, Draft>();
  const concealed = new Map<Source, Spot[]>();
  let isIncomplete = false;
  let hasErrors = false;
  const add = (severity: Severity) => (code: string, message: string, at?: Spot, hint?: string) => {
    const key = JSON.stringify([code, message, at?.source.file, at?.start]);
    if (!drafts.has(key)) drafts.set(key, { severity, code, message, at, hint });
    if (severity === "error") hasErrors = true;
  };
  return {
    error: add("error"),
    warning: add("warning"),
    conceal(spot) {
      const spots = concealed.get(spot.source);
      if (spots) spots.push(spot);
      else concealed.set(spot.source, [spot]);
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
      return inSourceOrder(Array.from(drafts.values(), (draft) => diagnosticOf(draft, concealed)));
    },
  };
}

interface Draft {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly at: Spot | undefined;
  readonly hint: string | undefined;
}

function diagnosticOf(draft: Draft, concealed: ReadonlyMap<Source, readonly Spot[]>): Diagnostic {
  const { severity, code, at } = draft;
  const words = at && isCode(at.source.file) ? inCode : (sentence: string) => sentence;
  const message = words(draft.message) + (at?.owner ? ` (${at.owner})` : "");
  const hint = draft.hint && words(draft.hint);
  const place = at && withoutConcealed(placeOf(at), at, concealed.get(at.source) ?? []);
  return { severity, code, message, ...(place ? { place } : {}), ...(hint ? { hint } : {}) };
}

/** The place with "…" for every concealed stretch of its line; the column and length follow the shorter text. */
function withoutConcealed(place: Place, spot: Spot, concealed: readonly Spot[]): Place {
  const lineStart = Math.min(Math.max(spot.start, 0), spot.source.text.length) - (place.column - 1);
  const cuts = joined(
    concealed
      .map(({ start, end }) => ({
        from: Math.max(0, start - lineStart),
        to: Math.min(end - lineStart, place.text.length),
      }))
      .filter(({ from, to }) => from < to),
  );
  if (cuts.length === 0) return place;
  let text = place.text;
  for (const { from, to } of cuts.toReversed()) text = `${text.slice(0, from)}…${text.slice(to)}`;
  const start = moved(place.column - 1, cuts);
  const last = moved(place.column - 1 + place.length - 1, cuts);
  return { ...place, text, column: start + 1, length: Math.max(1, last - start + 1) };
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

function joined(cuts: readonly Cut[]): Cut[] {
  const result: Cut[] = [];
  for (const cut of cuts.toSorted((a, b) => a.from - b.from)) {
    const before = result.at(-1);
    if (before && cut.from <= before.to) {
      result[result.length - 1] = { from: before.from, to: Math.max(before.to, cut.to) };
    } else result.push(cut);
  }
  return result;
}

/** Where the code unit at `at` is once every cut is one "…". */
function moved(at: number, cuts: readonly Cut[]): number {
  let by = 0;
  for (const { from, to } of cuts) {
    if (at >= to) by += to - from - 1;
    else if (at > from) by += at - from;
  }
  return at - by;
}
