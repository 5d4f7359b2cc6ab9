import {
  type CreditPrice,
  type DurationUnit,
  exactProduct,
  exactSum,
  type Period,
  type PeriodReport,
} from "../../sessions/reports/index.js";
import { head, type Parsed } from "./document.js";
import type { sessionsReportForm } from "./schemas/sessions-report-form.js";

/**
 * Ended sessions of a period with credits and durations, compared with the period before. Texts of the service are
 * unchanged. `schemas/sessions-report-v1.schema.json` describes each key.
 */
export interface SessionsReportDocument extends Parsed<typeof sessionsReportForm> {}

/** Sums over sessions, and how many lack a number. */
export type ReportedTotals = SessionsReportDocument["totals"];

/** Sessions of a day, week, mode, source or declared object. */
export type ReportedGroup = SessionsReportDocument["groups"][number];

export type ReportedDay = SessionsReportDocument["days"][number];

export type ReportedCount = SessionsReportDocument["modes"][number];

export type IncompleteReason = SessionsReportDocument["incomplete"][number];

/** Credits of the period against a budget. */
export type ReportedBudget = NonNullable<SessionsReportDocument["budget"]>;

export interface SessionsReportFacts {
  readonly report: PeriodReport;
  readonly timeZone: string;
  readonly service: { readonly baseUrl: string };
  /** Chosen environment, and the configured unit of durations (default: seconds). */
  readonly project: {
    readonly environment?: string | undefined;
    readonly service: {
      readonly sessionDurationUnit?: DurationUnit | undefined;
      readonly creditPrice?: CreditPrice | undefined;
    };
  };
  readonly by?: SessionsReportDocument["by"] | undefined;
  /** Requests sent for the report. */
  readonly requests: number;
  /** In credits. */
  readonly budget?: number | undefined;
  readonly filter?: SessionsReportDocument["filter"];
  /** A decimal number. */
  readonly creditsLeft?: string | undefined;
}

export function sessionsReportDocument(facts: SessionsReportFacts): SessionsReportDocument {
  const { report, timeZone, project, budget } = facts;
  const { sessionDurationUnit: durationUnit, creditPrice: price } = project.service;
  const costOf = (credits: number) => (price ? { cost: exactProduct(credits, price.amount) } : {});
  const priced = <Sums extends { readonly credits_consumed: number }>(sums: Sums) => ({
    ...sums,
    ...costOf(sums.credits_consumed),
  });
  const { sessions, credits_consumed, sessions_without_credits } = report.active;
  const reasons = incompleteReasons(report);
  return {
    ...head("sessions-report"),
    service: facts.service.baseUrl,
    environment: project.environment,
    filter: facts.filter,
    generated_at: shownTime(report.readAtMs),
    period: { ...shownPeriod(report.period), time_zone: timeZone },
    previous: shownPeriod(report.previous),
    duration_unit: durationUnit ?? "seconds",
    duration_unit_configured: durationUnit !== undefined,
    credit_price: price,
    totals: priced(report.totals),
    previous_totals: priced(report.previous_totals),
    sandbox: priced(report.sandbox),
    previous_sandbox: priced(report.previous_sandbox),
    active: priced({ sessions, credits_consumed, sessions_without_credits }),
    by: facts.by,
    groups: report.groups.map(priced),
    days: report.days,
    end_reasons: report.end_reasons,
    modes: report.modes,
    sources: report.sources,
    unknown_entries: report.unknownEntries,
    incomplete: reasons,
    credits_left: facts.creditsLeft === undefined ? undefined : { amount: facts.creditsLeft },
    budget: budget === undefined ? undefined : judgeBudget(report, reasons, budget, costOf),
    requests: facts.requests,
  };
}

function shownTime(ms: number): string {
  return new Date(ms).toISOString();
}

function shownPeriod({ since, until }: Period): SessionsReportDocument["previous"] {
  return { since: shownTime(since), until: shownTime(until) };
}

function incompleteReasons(report: PeriodReport): IncompleteReason[] {
  const { totals, previous_totals: previous, active, unknown, unknownEntries, undated, inFuture } = report;
  const unknownValues = Object.values(unknown).reduce((sum, count) => sum + count, 0) - unknownEntries;
  const problems = Object.entries(unknown).map(([problem, count]) => `${problem} (${count})`);
  const withoutCredits = totals.sessions_without_credits + active.sessions_without_credits;
  const withoutDuration = totals.sessions_without_duration;
  const lacking = Math.max(previous.sessions_without_credits, previous.sessions_without_duration);
  const details = problems.join(", ");
  const reasons: readonly (readonly [IncompleteReason["reason"], count: number, message: string])[] = [
    [
      "unknown-entries",
      unknownEntries,
      `${unknownEntries} entries of the list are not sessions: ${details}.`,
    ],
    ["unknown-values", unknownValues, `Malformed values were ignored: ${details}.`],
    ["sessions-without-time", undated, `${sessions(undated)} without a creation time: not counted.`],
    ["sessions-in-future", inFuture, `${sessions(inFuture)} created in the future: not counted.`],
    ["sessions-without-credits", withoutCredits, `${sessions(withoutCredits)} without credits_consumed.`],
    ["sessions-without-duration", withoutDuration, `${sessions(withoutDuration)} without duration.`],
    ["previous-incomplete", lacking, "In the period before, some sessions lack credits or duration."],
  ];
  const unstable = "The list changed while it was read, or its count is wrong: sessions may be missing.";
  return [
    ...(report.unstable ? [{ reason: "unstable-list", message: unstable } as const] : []),
    ...reasons.flatMap(([reason, count, message]) => (count > 0 ? { reason, count, message } : [])),
  ];
}

/** Reasons for which sessions or credits may be missing. */
const hidingCredits: ReadonlySet<IncompleteReason["reason"]> = new Set([
  "unstable-list",
  "unknown-entries",
  "sessions-without-time",
  "sessions-in-future",
  "sessions-without-credits",
]);

/** Compares credits with the budget. Missing data cannot undo an exceeded budget. */
function judgeBudget(
  report: PeriodReport,
  reasons: readonly IncompleteReason[],
  credits: number,
  costOf: (credits: number) => { readonly cost?: number },
): ReportedBudget {
  const consumed = exactSum([report.totals.credits_consumed, report.active.credits_consumed]);
  const isCertain = reasons.every(({ reason }) => !hidingCredits.has(reason));
  const status = consumed > credits ? "exceeded" : isCertain ? "kept" : "unknown";
  return { credits, consumed, ...costOf(consumed), status };
}

function sessions(count: number): string {
  return `${count.toLocaleString("en-US")} session${count === 1 ? "" : "s"}`;
}
