import {
  type CreditPrice,
  type DurationUnit,
  multiplyExactly,
  type Period,
  type PeriodReport,
  sumExactly,
} from "../../sessions/reports/index.js";
import { createHead, type Parsed } from "./document.js";
import type { sessionsReportForm } from "./schemas/sessions-report-form.js";

/**
 * Ended sessions in a period, with credits and durations, compared with the previous period. Contains text from the
 * service verbatim. `schemas/sessions-report-v1.schema.json` describes each key.
 */
export interface SessionsReportDocument extends Parsed<typeof sessionsReportForm> {}

/** Totals over sessions, and the numbers of sessions without credits or a duration. */
export type ReportedTotals = SessionsReportDocument["totals"];

/** Sessions of a day, week, mode, source or declared object. */
export type ReportedGroup = SessionsReportDocument["groups"][number];

export type ReportedDay = SessionsReportDocument["days"][number];

export type ReportedCount = SessionsReportDocument["modes"][number];

export type IncompleteReason = SessionsReportDocument["incomplete"][number];

/** Credits used in the period, compared with the budget. */
export type ReportedBudget = NonNullable<SessionsReportDocument["budget"]>;

export interface SessionsReportFacts {
  readonly report: PeriodReport;
  readonly timeZone: string;
  readonly service: { readonly baseUrl: string };
  /** Selected environment, with the configured duration unit (default: seconds) and credit price. */
  readonly project: {
    readonly environment?: string | undefined;
    readonly service: {
      readonly sessionDurationUnit?: DurationUnit | undefined;
      readonly creditPrice?: CreditPrice | undefined;
    };
  };
  readonly by?: SessionsReportDocument["by"] | undefined;
  readonly requests: number;
  /** Budget for the period, in credits. */
  readonly budget?: number | undefined;
  readonly filter?: SessionsReportDocument["filter"];
  /** Credits left in the account, as a decimal number. */
  readonly creditsLeft?: string | undefined;
}

export function toSessionsReportDocument(facts: SessionsReportFacts): SessionsReportDocument {
  const { report, timeZone, project, budget } = facts;
  const { sessionDurationUnit: durationUnit, creditPrice: price } = project.service;
  const calculateCost = (credits: number) => (price ? { cost: multiplyExactly(credits, price.amount) } : {});
  const addCost = <Sums extends CreditSums>(sums: Sums) => ({
    ...sums,
    ...(lacksCredits(sums) ? {} : calculateCost(sums.credits_consumed)),
  });
  const { sessions, credits_consumed, sessions_without_credits } = report.active;
  const reasons = listIncompleteReasons(report);
  return {
    ...createHead("sessions-report"),
    service: facts.service.baseUrl,
    environment: project.environment,
    filter: facts.filter,
    generated_at: toShownTime(report.readAtMs),
    period: { ...toShownPeriod(report.period), time_zone: timeZone },
    previous: toShownPeriod(report.previous),
    duration_unit: durationUnit ?? "seconds",
    duration_unit_configured: durationUnit !== undefined,
    credit_price: price,
    totals: addCost(report.totals),
    previous_totals: addCost(report.previous_totals),
    sandbox: addCost(report.sandbox),
    previous_sandbox: addCost(report.previous_sandbox),
    active: addCost({ sessions, credits_consumed, sessions_without_credits }),
    by: facts.by,
    groups: report.groups.map(addCost),
    days: report.days,
    end_reasons: report.end_reasons,
    modes: report.modes,
    sources: report.sources,
    unknown_entries: report.unknownEntries,
    incomplete: reasons,
    credits_left: facts.creditsLeft === undefined ? undefined : { amount: facts.creditsLeft },
    budget: budget === undefined ? undefined : judgeBudget(report, reasons, budget, calculateCost),
    requests: facts.requests,
  };
}

type CreditSums = Pick<ReportedTotals, "sessions" | "sessions_without_credits" | "credits_consumed">;

/** Returns whether there are sessions, but the service states the credits of none. */
export function lacksCredits({ sessions, sessions_without_credits }: CreditSums): boolean {
  return sessions > 0 && sessions_without_credits === sessions;
}

function toShownTime(ms: number): string {
  return new Date(ms).toISOString();
}

function toShownPeriod({ since, until }: Period): SessionsReportDocument["previous"] {
  return { since: toShownTime(since), until: toShownTime(until) };
}

function listIncompleteReasons(report: PeriodReport): IncompleteReason[] {
  const { totals, previous_totals: previous, active, unknown, unknownEntries, undated, inFuture } = report;
  const unknownValues = Object.values(unknown).reduce((sum, count) => sum + count, 0) - unknownEntries;
  const problems = Object.entries(unknown).map(([problem, count]) => `${problem} (${count})`);
  const withoutCredits = totals.sessions_without_credits + active.sessions_without_credits;
  const withoutDuration = totals.sessions_without_duration;
  const lacking = Math.max(previous.sessions_without_credits, previous.sessions_without_duration);
  const details = problems.join(", ");
  const reasons: readonly (readonly [IncompleteReason["reason"], count: number, message: string])[] = [
    ["unknown-entries", unknownEntries, `${unknownEntries} list entries are not sessions: ${details}.`],
    ["unknown-values", unknownValues, `Malformed values were ignored: ${details}.`],
    ["sessions-without-time", undated, `Not counted: ${countSessions(undated)} without a creation time.`],
    ["sessions-in-future", inFuture, `Not counted: ${countSessions(inFuture)} created in the future.`],
    [
      "sessions-without-credits",
      withoutCredits,
      `${countSessions(withoutCredits)} without credits_consumed.`,
    ],
    ["sessions-without-duration", withoutDuration, `${countSessions(withoutDuration)} without duration.`],
    ["previous-incomplete", lacking, "In the previous period, some sessions lack credits or a duration."],
  ];
  const unstable =
    "Sessions may be missing, because the list changed while it was read or its count is wrong.";
  const ungrouped =
    "Sessions in `others` may belong to another group, because a list changed while it was read, its count is wrong, or it has entries that are not sessions.";
  return [
    ...(report.unstable ? [{ reason: "unstable-list", message: unstable } as const] : []),
    ...(report.groupsMayMissSessions ? [{ reason: "groups-incomplete", message: ungrouped } as const] : []),
    ...reasons.flatMap(([reason, count, message]) => (count > 0 ? { reason, count, message } : [])),
  ];
}

/** Problems that mean that sessions or credits may be missing. */
const hidingCredits: ReadonlySet<IncompleteReason["reason"]> = new Set([
  "unstable-list",
  "unknown-entries",
  "sessions-without-time",
  "sessions-in-future",
  "sessions-without-credits",
]);

/** Compares credits with the budget. An exceeded budget stays exceeded even if data is missing. */
function judgeBudget(
  report: PeriodReport,
  reasons: readonly IncompleteReason[],
  credits: number,
  costOf: (credits: number) => { readonly cost?: number },
): ReportedBudget {
  // Sandbox sessions use no credits (§8). If the service charges them anyway, the budget shows it.
  const counted = [report.totals, report.active, report.sandbox];
  const consumed = sumExactly(counted.map(({ credits_consumed }) => credits_consumed));
  const isCertain = reasons.every(({ reason }) => !hidingCredits.has(reason));
  const status = consumed > credits ? "exceeded" : isCertain ? "kept" : "unknown";
  return { credits, consumed, ...costOf(consumed), status };
}

function countSessions(count: number): string {
  return `${count.toLocaleString("en-US")} session${count === 1 ? "" : "s"}`;
}
