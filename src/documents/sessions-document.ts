import type { SessionReport, SessionRow, SessionTotals } from "../sessions/index.js";
import { type Head, head } from "./document.js";

/** The sessions of an account. Durations are the service's numbers: their unit is not documented (§2.7). */
export interface SessionsDocument extends Head<"sessions"> {
  readonly type: "active" | "historic";
  /** Every page was read. */
  readonly complete: boolean;
  readonly totals: { readonly all: ShownTotals; readonly sandbox: ShownTotals };
  readonly sessions: readonly ShownSession[];
}

/** Sums over some sessions, and how many have no number. */
export interface ShownTotals {
  readonly sessions: number;
  readonly duration: number;
  readonly sessions_without_duration: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
}

/** One session, with the keys and values of the service; missing values are absent. */
export type ShownSession = SessionRow;

/** Creates the document for a session report. */
export function sessionsDocument(report: SessionReport): SessionsDocument {
  return {
    ...head("sessions"),
    type: report.type,
    complete: report.complete,
    totals: { all: shownTotals(report.totals.all), sandbox: shownTotals(report.totals.sandbox) },
    sessions: report.sessions,
  };
}

function shownTotals(totals: SessionTotals): ShownTotals {
  return {
    sessions: totals.sessions,
    duration: totals.duration,
    sessions_without_duration: totals.withoutDuration,
    credits_consumed: totals.credits,
    sessions_without_credits: totals.withoutCredits,
  };
}
