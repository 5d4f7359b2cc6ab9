import type {
  DurationUnit,
  SessionFacts,
  SessionRow,
  SessionTotals,
  Transcript,
} from "../../sessions/reports/index.js";
import { type Head, head } from "./document.js";

/** What is known of a list of sessions once it has been read. Durations are the service's numbers: their unit is not documented (§2.7). */
export interface SessionsSummary {
  readonly type: "active" | "historic";
  /** Every page was read, and the list kept still meanwhile. */
  readonly complete: boolean;
  /** In which the service states durations, where that is set. */
  readonly duration_unit?: DurationUnit;
  /** Sandbox sessions are also in `all`; they consume no credits (§8). */
  readonly totals: { readonly all: SessionTotals; readonly sandbox: SessionTotals };
  /** What is wrong with entries of unknown shape, and how often. Those without an id are not among the sessions. */
  readonly unknown_entries?: readonly { readonly problem: string; readonly entries: number }[];
  /** Sessions left out because they do not say when they were created, and a period was asked for. */
  readonly sessions_without_time?: number;
}

/** One session, with the keys and values of the service; missing values are absent. */
export type ShownSession = SessionRow;

export type SessionDocument = ReturnType<typeof sessionDocument>;

/** One session, and what was said in it. */
export function sessionDocument(session: ShownSession, durationUnit?: DurationUnit, transcript?: Transcript) {
  return { ...head("session"), duration_unit: durationUnit, session, transcript };
}

/** The head of a list of sessions, which is written as they come. */
export function sessionsHead(): Head<"sessions"> {
  return head("sessions");
}

/** Creates the part of the document that does not depend on the number of sessions. */
export function sessionsSummary(
  read: Pick<SessionsSummary, "type" | "complete" | "totals">,
  durationUnit: DurationUnit | undefined,
  { unknown, undated }: SessionFacts,
): SessionsSummary {
  const problems = Object.entries(unknown).map(([problem, entries]) => ({ problem, entries }));
  return {
    ...read,
    duration_unit: durationUnit,
    unknown_entries: problems.length > 0 ? problems : undefined,
    sessions_without_time: undated > 0 ? undated : undefined,
  };
}
