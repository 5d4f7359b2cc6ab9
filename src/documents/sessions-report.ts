import type { DurationUnit, Period, PeriodReport, Totals, ValueCount } from "../sessions/index.js";
import { given, head } from "./document.js";
import { type RecordFacts, shownCommit } from "./history-document.js";
import type {
  IncompleteReason,
  ReportedCount,
  ReportedDeployment,
  ReportedGroup,
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
  /** Of a report by deployment. */
  readonly deployments?:
    | {
        readonly facts: ReadonlyMap<string, DeploymentFacts>;
        readonly incomplete: readonly IncompleteReason[];
      }
    | undefined;
}

/** What is known of a group by deployment. */
export interface DeploymentFacts {
  /** Of the group. */
  readonly key: string;
  /** Ms since the epoch, within the period. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly deployment?: { readonly record: RecordFacts; readonly addresses: readonly string[] } | undefined;
}

/** Sessions and deployments have nothing but their times in common. */
const byTimeOnly =
  "Sessions are set beside deployments by time alone: the list of sessions does not say which context a session used. Times of deployments are those of the machines that applied.";

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
    ...given("by_note", facts.deployments && byTimeOnly),
    groups: report.groups.map((group) => ({
      ...given("key", group.key),
      ...shownTotals(group),
      sandbox_sessions: group.sandboxSessions,
      ...given("partial", group.isPartial || undefined),
      ...shownInterval(facts.deployments?.facts.get(group.key ?? "")),
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
    incomplete: [...incompleteReasons(report), ...(facts.deployments?.incomplete ?? [])],
    ...given("budget", budget === undefined ? undefined : budgetOf(report, budget)),
    requests: facts.requests,
  };
}

function shownInterval(facts: DeploymentFacts | undefined): Pick<ReportedGroup, "during" | "deployment"> {
  if (!facts) return {};
  const { sinceMs: since, untilMs: until, deployment } = facts;
  return {
    during: shownPeriod({ since, until }),
    ...given("deployment", deployment && shownDeployment(deployment)),
  };
}

function shownDeployment({
  record,
  addresses,
}: NonNullable<DeploymentFacts["deployment"]>): ReportedDeployment {
  const { serial, at, command, plan, definitions, restored, recovered } = record;
  return {
    ...{ serial, at, command, addresses },
    ...given("plan_digest", plan),
    ...given("commit", definitions && shownCommit(definitions)),
    ...given("restored", restored),
    ...given("recovered", recovered),
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
