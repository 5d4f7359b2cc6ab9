import type { Service } from "../api/index.js";
import { readSessions, type SessionQuery } from "./read.js";
import type { SessionRow } from "./row.js";
import { exactSum } from "./sum.js";

/** The sessions of one type, newest first, with totals. */
export interface SessionReport {
  readonly type: "active" | "historic";
  /** Every page was read, and the list kept still meanwhile. */
  readonly complete: boolean;
  readonly sessions: readonly SessionRow[];
  /** Sandbox sessions are also in `all`; they consume no credits (§8). */
  readonly totals: { readonly all: SessionTotals; readonly sandbox: SessionTotals };
}

/** Sums over the sessions with a number, and the count of those without. */
export interface SessionTotals {
  readonly sessions: number;
  readonly duration: number;
  readonly withoutDuration: number;
  readonly credits: number;
  readonly withoutCredits: number;
}

/** Reads every page of one type. Fields of an undocumented type count as missing; nothing is fatal. */
export async function reportSessions(
  service: Pick<Service, "sessions">,
  query: SessionQuery,
): Promise<SessionReport> {
  const { type } = query;
  const stream = readSessions(service, query);
  const sessions: SessionRow[] = [];
  for await (const session of stream) sessions.push(session);
  const complete = !stream.facts().unstable;
  const sandbox = sessions.filter((session) => session.is_sandbox);
  return { type, complete, sessions, totals: { all: totalsOf(sessions), sandbox: totalsOf(sandbox) } };
}

function totalsOf(sessions: readonly SessionRow[]): SessionTotals {
  const durations = sessions.flatMap((session) => session.duration ?? []);
  const credits = sessions.flatMap((session) => session.credits_consumed ?? []);
  return {
    sessions: sessions.length,
    duration: exactSum(durations),
    withoutDuration: sessions.length - durations.length,
    credits: exactSum(credits),
    withoutCredits: sessions.length - credits.length,
  };
}
