import {
  actionFacts,
  actionNames,
  type DurationUnit,
  type OutcomeDocument,
  type PlanDocument,
  type SessionsSummary,
  type SessionTotals,
  type ShownChange,
  type ShownField,
  type ShownSmoke,
  toDurationSeconds,
} from "../documents/index.js";
import { toOldLocations } from "./hunks.js";
import { diffProse } from "./prose-diff.js";

const shownActions = actionNames.filter((action) => action !== "keep");

export function sortByAction(changes: readonly ShownChange[]): ShownChange[] {
  return shownActions.flatMap((action) => changes.filter((change) => change.action === action));
}

/** Reasons in words, except where the action already implies the reason. */
export const reasons: Readonly<Record<ShownChange["reason"], string | undefined>> = {
  unchanged: undefined,
  unobservable: "cannot be read, so apply assumes the last applied value",
  unverified: "its value is not available here",
  configured: undefined,
  drifted: "drifted: edited elsewhere since the last apply",
  conflicting: "conflicting: edited here and elsewhere since the last apply",
  converged: "same edit in the files and in the account",
  new: undefined,
  found: "found in the account by its exact name",
  given: "declared by its id",
  recovered: "created by an earlier apply whose response was lost",
  vanished: "no longer in the account",
  removed: "removed from the files",
  superseded: undefined,
  undeclared: "not declared in any file",
  rotated: "value changed",
  reidentified: "declared with a different id than before",
  unreadable: "could not be read",
  "unknown-id": "no object has this id",
  "several-found": "several objects have this name",
  "shared-id": "another object has the same id in the state",
  "answer-lost": "an earlier apply may have created it",
};

/** Returns whether a notice belongs above the changes, such as one about a hold or an outdated checkout. */
export function isHighPriority({ code }: PlanDocument["notices"][number]): boolean {
  return ["behind", "unknown-ancestry", "held", "held-objects", "needs"].includes(code);
}

/** Describes the cause of a difference, unless only the files changed. */
export function describeCause({ cause, conflicts }: ShownField): string | undefined {
  if (cause === "drifted") return "edited elsewhere";
  if (cause !== "conflicting") return undefined;
  if (!conflicts) return "edited here and elsewhere";
  const result = conflicts.length === 0 ? "`pull` merges both" : formatCount(conflicts.length, "conflict");
  return `edited here and elsewhere: ${result}`;
}

/**
 * Returns both edits to a conflicting field, each compared with the last applied value. Returns undefined if that value
 * is unknown.
 */
export function splitSides(field: ShownField): readonly ShownField[] | undefined {
  const { type, applied, before, after } = field;
  if (applied === undefined) return undefined;
  const { location, composed, declared_at } = field;
  const side = { type, cause: "configured", before: applied } as const;
  // `composed` has the locations of the text in the files, so they are mapped to the applied text.
  const locations =
    composed && typeof applied === "string" && typeof after === "string"
      ? toOldLocations(diffProse(applied, after), composed)
      : undefined;
  return [
    { ...side, field: "dashboard", after: before, composed: locations },
    { ...side, field: "yours", after, location, composed, declared_at },
  ];
}

/** Returns whether apply cannot perform an action, such as "ambiguous". */
export function isUndecided(action: ShownChange["action"] | "keep"): boolean {
  const { exit } = actionFacts[action];
  return exit !== "changes" && exit !== "nothing";
}

/** Formats counts, such as "1 to create, 2 to update, 1 skipped (drifted); 12 unchanged". */
export function formatPlanCounts({
  summary,
  changes,
  exit,
  overwrites_drift: isOverwritten,
}: PlanDocument): string {
  const edits = changes.filter(({ overwrites }) => overwrites);
  const isSkippedEdit = ({ overwrites }: ShownChange) => overwrites && !isOverwritten;
  const held = changes.filter(
    (change) => change.held !== undefined && !isSkippedEdit(change) && !isUndecided(change.action),
  );
  const skips = new Set(isOverwritten ? held : [...edits, ...held]);
  const counts = shownActions.flatMap((action) => {
    const edited = edits.filter((change) => change.action === action && !skips.has(change)).length;
    const written = summary[action] - [...skips].filter((change) => change.action === action).length;
    const drifted = isOverwritten && edited > 0 ? ` (${formatNumber(edited)} drifted)` : "";
    return written > 0
      ? [`${formatNumber(written)} ${isUndecided(action) ? "" : "to "}${action}${drifted}`]
      : [];
  });
  const conflicting = edits.filter(({ reason }) => reason === "conflicting").length;
  const skipped = [
    [isOverwritten ? 0 : edits.length - conflicting, "drifted"] as const,
    [isOverwritten ? 0 : conflicting, "conflicting"] as const,
    [held.length, "held"] as const,
  ].flatMap(([found, why]) => (found > 0 ? [`${formatNumber(found)} skipped (${why})`] : []));
  const unchanged = `${formatNumber(summary.keep)} unchanged`;
  if (counts.length + skipped.length === 0)
    return exit === "unverified"
      ? `Nothing to apply, but not all secrets could be compared; ${unchanged}`
      : `Nothing to do: ${unchanged}`;
  const nothing = counts.length === 0 ? "Nothing to apply: " : "";
  return `${nothing}${[...counts, ...skipped].join(", ")}; ${unchanged}`;
}

/** Formats counts, such as "3 applied, 1 failed; 12 unchanged". */
export function formatOutcomeCounts({ summary, results }: OutcomeDocument): string {
  const kept = `${formatNumber(summary.kept)} unchanged`;
  if (results.length === 0) return `Nothing to do: ${kept}`;
  return `${formatStatusCounts(summary, ["applied", "failed", "skipped", "unknown"])}; ${kept}`;
}

function formatStatusCounts<Status extends string>(
  summary: Readonly<Record<Status, number>>,
  statuses: readonly Status[],
): string {
  const counted = statuses.filter((status) => summary[status] > 0);
  return counted.map((status) => `${formatNumber(summary[status])} ${status}`).join(", ");
}

/** Formats counts, such as "Smoke check: 3 passed, 1 failed." */
export function formatSmokeCounts({ summary, scope }: ShownSmoke): string {
  const counts = formatStatusCounts(summary, ["passed", "warned", "failed", "skipped"]);
  if (counts !== "") return `Smoke check: ${counts}.`;
  return `Smoke check: ${scope === "applied" ? "no preset refers to an applied object" : "there are no presets"}.`;
}

/** Formats a count, such as "7 requests, 2 of them slowed down by the service". */
export function formatRequestCount(requests: number, throttled = 0): string {
  const slowed = throttled > 0 ? `, ${formatNumber(throttled)} of them slowed down by the service` : "";
  return `${formatCount(requests, "request")}${slowed}`;
}

/**
 * Formats totals, such as "12 active sessions: duration 340 (unit not documented), 18 credits". Also describes problems
 * with the list.
 */
export function formatSessionTotals(summary: SessionsSummary): string[] {
  const { type, totals, complete, duration_unit: unit } = summary;
  const { unknown_entries: unknown = [], sessions_without_time: undated = 0 } = summary;
  const { all, sandbox } = totals;
  const sentences = [`${formatCount(all.sessions, `${type} session`)}: ${formatAmounts(all, unit)}.`];
  if (sandbox.sessions > 0)
    sentences.push(
      `Of these, ${formatNumber(sandbox.sessions)} in sandbox mode: ${formatAmounts(sandbox, unit)}.`,
    );
  if (!complete) {
    sentences.push(
      "The list may be incomplete, because it kept changing while it was read or its count is wrong.",
    );
  }
  if (unknown.length > 0) {
    const problems = unknown
      .map(({ problem, entries }) => `${problem} (${formatNumber(entries)})`)
      .join(", ");
    sentences.push(`Unrecognized entries: ${problems}. Entries without an id are not listed.`);
  }
  if (undated > 0) {
    sentences.push(`Left out because their creation time is unknown: ${formatCount(undated, "session")}.`);
  }
  return sentences;
}

/** Formats a duration in at most two units, such as "4 min 10 s". */
export function formatDuration(value: number, unit: DurationUnit): string {
  const seconds = toDurationSeconds(value, unit);
  if (seconds < 10) return `${formatNumber(Math.round(seconds * 10) / 10)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min${formatRemainder(whole % 60, "s")}`;
  const minutes = Math.round(whole / 60);
  return `${formatNumber(Math.floor(minutes / 60))} h${formatRemainder(minutes % 60, "min")}`;
}

function formatRemainder(value: number, unit: string): string {
  return value === 0 ? "" : ` ${value} ${unit}`;
}

function formatAmounts(totals: SessionTotals, unit: DurationUnit | undefined): string {
  const { sessions, duration, sessions_without_duration, credits_consumed, sessions_without_credits } =
    totals;
  const isUnknown = (missing: number) => sessions > 0 && missing === sessions;
  const shown = unit ? formatDuration(duration, unit) : `${formatNumber(duration)} (unit not documented)`;
  const durations = `duration ${shown}${formatNotReported(sessions_without_duration)}`;
  const credits = formatCredits(credits_consumed, sessions_without_credits);
  return `${isUnknown(sessions_without_duration) ? "duration not reported" : durations}, ${isUnknown(sessions_without_credits) ? "credits not reported" : credits}`;
}

/** Formats credits, such as "18 credits (not reported for 2)". */
export function formatCredits(credits: number, sessionsWithoutCredits: number): string {
  return `${formatCount(credits, "credit")}${formatNotReported(sessionsWithoutCredits)}`;
}

function formatNotReported(sessions: number): string {
  return sessions > 0 ? ` (not reported for ${formatNumber(sessions)})` : "";
}

/** Formats counts without zeros, such as "1 error, 2 warnings". */
export function formatDiagnosticCounts({
  errors,
  warnings,
}: {
  readonly errors: number;
  readonly warnings: number;
}): string {
  const counts = [
    errors > 0 ? formatCount(errors, "error") : "",
    warnings > 0 ? formatCount(warnings, "warning") : "",
  ];
  return counts.filter((part) => part !== "").join(", ") || "No errors or warnings";
}

/** Formats a count, such as "1 request" or "3,904 requests". */
export function formatCount(many: number, what: string): string {
  return `${formatNumber(many)} ${what}${many === 1 ? "" : "s"}`;
}

/** Shared formatter, because `toLocaleString` creates one on each call. Created on first use, which takes 12 ms. */
let numbers: Intl.NumberFormat | undefined;

/** Formats a number with thousands separators, independent of the locale. */
export function formatNumber(value: number): string {
  numbers ??= new Intl.NumberFormat("en-US", { maximumFractionDigits: 12 });
  return numbers.format(value);
}

/** Returns the largest number, or `min` if it is larger. Does not use Math.max, which fails for very many arguments. */
export function findLargest(numbers: readonly number[], min: number): number {
  return numbers.reduce((most, number) => Math.max(most, number), min);
}
