import type { DurationUnit, Period, PeriodReport, Totals, ValueCount } from "../sessions/index.js";
import { given, head } from "./document.js";
import type {
  ReportedCount,
  ReportedPeriod,
  ReportedTotals,
  SessionsReportDocument,
} from "./sessions-report-document.js";
import { budgetOf, incompleteReasons } from "./sessions-report-verdict.js";

/** Everything that the document is made of. */
export interface SessionsReportFacts
  extends Pick<SessionsReportDocument, "service" | "environment" | "by" | "requests"> {
  readonly report: PeriodReport;
  readonly timeZone: string;
  /** As configured; undefined: seconds are assumed. */
  readonly durationUnit?: DurationUnit | undefined;
  /** In credits. */
  readonly budget?: number | undefined;
}

/** Creates the document for a report. */
export function sessionsReportDocument(facts: SessionsReportFacts): SessionsReportDocument {
  const { report, timeZone, durationUnit, budget } = facts;
  return {
    ...head("sessions-report"),
    service: facts.service,
    ...given("environment", facts.environment),
    generated_at: shownTime(report.readAtMs),
    period: { ...shownPeriod(report.period), time_zone: timeZone },
    previous: shownPeriod(report.previous),
    duration_unit: durationUnit ?? "seconds",
    duration_unit_configured: durationUnit !== undefined,
    totals: shownTotals(report.totals),
    previous_totals: shownTotals(report.previousTotals),
    sandbox: shownTotals(report.sandbox),
    previous_sandbox: shownTotals(report.previousSandbox),
    active: {
      sessions: report.active.sessions,
      credits_consumed: report.active.credits,
      sessions_without_credits: report.active.withoutCredits,
    },
    ...given("by", facts.by),
    groups: report.groups.map((group) => ({
      ...given("key", group.key),
      ...shownTotals(group),
      sandbox_sessions: group.sandboxSessions,
      ...given("partial", group.isPartial || undefined),
    })),
    days: report.days.map(({ day, sessions, credits, isPartial }) => ({
      ...{ day, sessions, credits_consumed: credits },
      ...given("partial", isPartial || undefined),
    })),
    hours: Array.from({ length: 7 }, (_, day) => report.hours.slice(day * 24, (day + 1) * 24)),
    end_reasons: report.endReasons.map(shownCount),
    modes: report.modes.map(shownCount),
    sources: report.sources.map(shownCount),
    unknown_entries: report.unknownEntries,
    incomplete: incompleteReasons(report),
    ...given("budget", budget === undefined ? undefined : budgetOf(report, budget)),
    requests: facts.requests,
  };
}

function shownTime(ms: number): string {
  return new Date(ms).toISOString();
}

function shownPeriod({ since, until }: Period): ReportedPeriod {
  return { since: shownTime(since), until: shownTime(until) };
}

function shownTotals({
  sessions,
  credits,
  withoutCredits,
  duration,
  withoutDuration,
}: Totals): ReportedTotals {
  return {
    sessions,
    credits_consumed: credits,
    sessions_without_credits: withoutCredits,
    ...given("duration", duration),
    sessions_without_duration: withoutDuration,
  };
}

function shownCount({ value, sessions }: ValueCount): ReportedCount {
  return { ...given("value", value), sessions };
}
