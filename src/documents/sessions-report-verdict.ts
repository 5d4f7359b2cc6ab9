import { exactSum, type PeriodReport } from "../sessions/index.js";
import type { IncompleteCode, IncompleteReason, ReportedBudget } from "./sessions-report-document.js";

/** Why the numbers may be wrong. */
export function incompleteReasons(report: PeriodReport): IncompleteReason[] {
  const { totals, previousTotals, active, unknown, unknownEntries } = report;
  const unknownValues = Object.values(unknown).reduce((sum, count) => sum + count, 0) - unknownEntries;
  const problems = Object.entries(unknown).map(([problem, count]) => `${problem} (${count})`);
  const reasons: readonly (IncompleteReason & { readonly count: number })[] = [
    {
      reason: "unknown-entries",
      count: unknownEntries,
      message: `${unknownEntries} entries of the list could not be counted as sessions: ${problems.join(", ")}.`,
    },
    {
      reason: "unknown-values",
      count: unknownValues,
      message: `Some values have an unknown shape, and were taken for missing: ${problems.join(", ")}.`,
    },
    {
      reason: "sessions-without-time",
      count: report.undated,
      message: `${sessions(report.undated)} without a time of creation: in no period, and not counted.`,
    },
    {
      reason: "sessions-in-future",
      count: report.inFuture,
      message: `${sessions(report.inFuture)} created later than now, by the service's clock: not counted.`,
    },
    {
      reason: "sessions-without-credits",
      count: totals.withoutCredits + active.withoutCredits,
      message: `${sessions(totals.withoutCredits + active.withoutCredits)} without credits_consumed: the sum is what the others consumed.`,
    },
    {
      reason: "sessions-without-duration",
      count: totals.withoutDuration,
      message: `${sessions(totals.withoutDuration)} without duration: median and percentile are those of the others.`,
    },
    {
      reason: "previous-incomplete",
      count: Math.max(previousTotals.withoutCredits, previousTotals.withoutDuration),
      message:
        "In the period before, sessions without credits_consumed or duration: the comparison is inexact.",
    },
  ];
  const unstable =
    "The list kept changing while it was read, or its count is wrong: sessions may be missing.";
  return [
    ...(report.unstable ? [{ reason: "unstable-list", message: unstable } as const] : []),
    ...reasons.filter(({ count }) => count > 0),
  ];
}

/** With these, sessions or credits may be missing. */
const hidingCredits: ReadonlySet<IncompleteCode> = new Set([
  "unstable-list",
  "unknown-entries",
  "sessions-without-time",
  "sessions-in-future",
  "sessions-without-credits",
]);

/** Credits of the period against the budget. What is known to be exceeded is so, whatever else is not known. */
export function budgetOf(report: PeriodReport, credits: number): ReportedBudget {
  const consumed = exactSum([report.totals.credits, report.active.credits]);
  const isCertain = incompleteReasons(report).every(({ reason }) => !hidingCredits.has(reason));
  return { credits, consumed, status: consumed > credits ? "exceeded" : isCertain ? "kept" : "unknown" };
}

function sessions(count: number): string {
  return `${count.toLocaleString("en-US")} session${count === 1 ? "" : "s"}`;
}
