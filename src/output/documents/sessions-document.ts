import type {
  DurationUnit,
  SessionFacts,
  SessionReport,
  SessionRow,
  Transcript,
} from "../../sessions/reports/index.js";
import { type Head, head } from "./document.js";

/** The sessions of an account. Durations are the service's numbers: their unit is not documented (§2.7). */
export interface SessionsDocument extends Head<"sessions">, SessionsSummary {
  readonly sessions: readonly ShownSession[];
}

/** What is known of a list of sessions once it has been read. */
export interface SessionsSummary {
  readonly type: "active" | "historic";
  /** Every page was read, and the list kept still meanwhile. */
  readonly complete: boolean;
  /** In which the service states durations, where that is set. */
  readonly duration_unit?: DurationUnit;
  readonly totals: SessionReport["totals"];
  /** What is wrong with entries of unknown shape, and how often. Those without an id are not among the sessions. */
  readonly unknown_entries?: readonly { readonly problem: string; readonly entries: number }[];
  /** Sessions left out because they do not say when they were created, and a period was asked for. */
  readonly sessions_without_time?: number;
}

/** One session, with the keys and values of the service; missing values are absent. */
export type ShownSession = SessionRow;

export function sessionsDocument(report: SessionReport): SessionsDocument {
  return { ...sessionsHead(), ...sessionsSummary(report), sessions: report.sessions };
}

export type SessionDocument = ReturnType<typeof sessionDocument>;

/** One session, and what was said in it. */
export function sessionDocument(session: ShownSession, durationUnit?: DurationUnit, transcript?: Transcript) {
  return { ...head("session"), duration_unit: durationUnit, session, transcript };
}

/** The head of the document alone, for one that is written as sessions come. */
export function sessionsHead(): Head<"sessions"> {
  return head("sessions");
}

/** Creates the part of the document that does not depend on the number of sessions. */
export function sessionsSummary(
  {
    type,
    complete,
    totals,
    durationUnit,
  }: Omit<SessionReport, "sessions"> & { durationUnit?: DurationUnit | undefined },
  { unknown = {}, undated = 0 }: Partial<SessionFacts> = {},
): SessionsSummary {
  const problems = Object.entries(unknown).map(([problem, entries]) => ({ problem, entries }));
  return {
    type,
    complete,
    duration_unit: durationUnit,
    totals,
    unknown_entries: problems.length > 0 ? problems : undefined,
    sessions_without_time: undated > 0 ? undated : undefined,
  };
}
