import type { DurationUnit, GroupingName } from "../sessions/index.js";
import type { Head } from "./document.js";
import type { ShownCommit } from "./history-document.js";

/**
 * Ended sessions of a period, with their credits and durations, beside those of the period before. Times are
 * ISO 8601 in UTC; days, weeks and hours are those of the period's time zone. Texts of the service are as it
 * sent them.
 */
export interface SessionsReportDocument extends Head<"sessions-report"> {
  /** Base URL of the service. */
  readonly service: string;
  readonly environment?: string;
  /** When the sessions were read, by the service's clock. */
  readonly generated_at: string;
  /** A session belongs to the period in which it was created. */
  readonly period: ReportedPeriod & { readonly time_zone: string };
  /** The period of the same length before. */
  readonly previous: ReportedPeriod;
  /** The unit of all durations. */
  readonly duration_unit: DurationUnit;
  /** `service.session_duration_unit` says so; otherwise seconds are assumed. */
  readonly duration_unit_configured: boolean;
  /** Without sandbox sessions, as all numbers but those called so. */
  readonly totals: ReportedTotals;
  readonly previous_totals: ReportedTotals;
  readonly sandbox: ReportedTotals;
  readonly previous_sandbox: ReportedTotals;
  /** Sessions of the period that have not ended; they are in no other number but the budget's. */
  readonly active: ReportedActive;
  /** What the groups are; absent: there are none. */
  readonly by?: ReportGrouping;
  /** What the groups do not tell, in a sentence. */
  readonly by_note?: string;
  /** Days, weeks and deployments in order, also empty ones; others by the number of sessions, most first. */
  readonly groups: readonly ReportedGroup[];
  /** Every day of the period, in order, also empty ones. */
  readonly days: readonly ReportedDay[];
  /** Sessions created in each hour of the week: seven days from Monday, of 24 numbers each. */
  readonly hours: readonly (readonly number[])[];
  /** Most first, as the two below. */
  readonly end_reasons: readonly ReportedCount[];
  readonly modes: readonly ReportedCount[];
  readonly sources: readonly ReportedCount[];
  /** Entries of the list that are no sessions. */
  readonly unknown_entries: number;
  /** Why the numbers may be wrong; empty: they are complete. */
  readonly incomplete: readonly IncompleteReason[];
  /** With --budget. */
  readonly budget?: ReportedBudget;
  /** Requests sent to the service. */
  readonly requests: number;
}

/** What a report can be divided by. */
export type ReportGrouping = GroupingName | "deployment";

/** From `since` until just before `until`. */
export interface ReportedPeriod {
  readonly since: string;
  readonly until: string;
}

/** Sums of some sessions, and how many have no number. */
export interface ReportedTotals {
  readonly sessions: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
  /** Absent: no session states one. */
  readonly duration?: ReportedDurations;
  readonly sessions_without_duration: number;
}

/** Durations as the service states them. */
export interface ReportedDurations {
  readonly sum: number;
  /** Between two neighbours in proportion, as PERCENTILE of a spreadsheet; so is `p95`. */
  readonly median: number;
  /** 95 of 100 sessions were not longer. */
  readonly p95: number;
  readonly longest: number;
}

/** Sessions that have not ended. */
export type ReportedActive = Pick<
  ReportedTotals,
  "sessions" | "credits_consumed" | "sessions_without_credits"
>;

/** The sessions of a day, a week, a mode, a source, or the time from one deployment to the next. */
export interface ReportedGroup extends ReportedTotals {
  /**
   * `2026-11-22`, `2026-W47` (ISO 8601), the time of a deployment with the serial of the state, or the value of the
   * service. Absent: the service states none.
   */
  readonly key?: string;
  /** How many sandbox sessions there are besides. */
  readonly sandbox_sessions: number;
  /** The period begins or ends within it. */
  readonly partial?: true;
  /** By deployment: the part of the period that it covers. */
  readonly during?: ReportedPeriod;
  /** By deployment: what was applied at its begin. Absent: nothing that is known. */
  readonly deployment?: ReportedDeployment;
}

/** An apply that changed contexts. */
export interface ReportedDeployment {
  /** Of the state: `avatarops history` and `avatarops show --at` know it. */
  readonly serial: number;
  /** The end of the apply, ISO 8601, by the clock of the machine that applied. */
  readonly at: string;
  readonly command: string;
  /** What it changed that sessions use. */
  readonly addresses: readonly string[];
  readonly plan_digest?: string;
  /** Of the files, if they are in git. */
  readonly commit?: ShownCommit;
  /** Of a rollback: what it went back to. */
  readonly restored?: { readonly serial: number; readonly commit?: string };
  /** An interrupted run had done it: it was recorded later. */
  readonly recovered?: true;
}

/** The sessions of a day. */
export interface ReportedDay {
  /** `2026-11-22` */
  readonly day: string;
  readonly sessions: number;
  readonly credits_consumed: number;
  /** The period begins or ends within this day. */
  readonly partial?: true;
}

/** How many sessions have a value. */
export interface ReportedCount {
  /** Absent: the service states none. */
  readonly value?: string;
  readonly sessions: number;
}

/** Why numbers may be wrong. */
export interface IncompleteReason {
  readonly reason: IncompleteCode;
  /** How many sessions or entries it concerns, if that is known. */
  readonly count?: number;
  /** One sentence. */
  readonly message: string;
}

export type IncompleteCode =
  | "unstable-list"
  | "unknown-entries"
  | "unknown-values"
  | "sessions-without-time"
  | "sessions-in-future"
  | "sessions-without-credits"
  | "sessions-without-duration"
  | "previous-incomplete"
  | "history-incomplete"
  | "clocks-differ";

/** Credits of the period against a budget. */
export interface ReportedBudget {
  readonly credits: number;
  /** Those of ended and of active sessions. */
  readonly consumed: number;
  /** `unknown`: not exceeded by what is known, and something is not known. */
  readonly status: "kept" | "exceeded" | "unknown";
}
