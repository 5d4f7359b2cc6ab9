import type {
  DurationUnit,
  SessionFacts,
  SessionRow,
  SessionTotals,
  Transcript,
} from "../../sessions/reports/index.js";
import { createHead, type Head } from "./document.js";

/** Session list summary, created after reading the list. The duration unit is not documented (§2.7). */
export interface SessionsSummary {
  readonly type: "active" | "historic";
  /** Whether every page was read and the list did not change meanwhile. */
  readonly complete: boolean;
  /** Duration unit, if configured. */
  readonly duration_unit?: DurationUnit;
  /** Totals of all sessions, and of only the sandbox sessions. Sandbox sessions consume no credits (§8). */
  readonly totals: { readonly all: SessionTotals; readonly sandbox: SessionTotals };
  /** Number of malformed entries, by problem. Entries without an id are not listed. */
  readonly unknown_entries?: readonly { readonly problem: string; readonly entries: number }[];
  /** Number of sessions without a creation time. Reports for a period exclude them. */
  readonly sessions_without_time?: number;
}

/** One session, with the service's keys and values. Missing values are omitted. */
export type ShownSession = SessionRow;

export type SessionDocument = ReturnType<typeof toSessionDocument>;

export function toSessionDocument(
  session: ShownSession,
  durationUnit?: DurationUnit,
  transcript?: Transcript,
) {
  return { ...createHead("session"), duration_unit: durationUnit, session, transcript };
}

/** Creates the first keys of a session list, which is streamed. */
export function createSessionsHead(): Head<"sessions"> {
  return createHead("sessions");
}

/** Creates the last part of the document, which is written after the sessions. */
export function toSessionsSummary(
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
