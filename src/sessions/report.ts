import type { Service } from "../api/index.js";
import { readSessions, type SessionQuery } from "./read.js";
import type { SessionRow } from "./row.js";
import { openSum } from "./sum.js";

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
  const stream = readSessions(service, query);
  const sessions: SessionRow[] = [];
  const totals = openTotals();
  for await (const session of stream) {
    sessions.push(session);
    totals.add(session);
  }
  const { unstable } = stream.facts();
  return { type: query.type, complete: !unstable, sessions, totals: totals.value() };
}

/** Totals of sessions that come one by one. */
export function openTotals(): { add(session: SessionRow): void; value(): SessionReport["totals"] } {
  const all = openSums();
  const sandbox = openSums();
  return {
    add(session) {
      all.add(session);
      if (session.is_sandbox) sandbox.add(session);
    },
    value: () => ({ all: all.value(), sandbox: sandbox.value() }),
  };
}

function openSums() {
  const [durations, credits] = [openSum(), openSum()];
  const counts = { sessions: 0, withoutDuration: 0, withoutCredits: 0 };
  return {
    add({ duration, credits_consumed }: SessionRow) {
      counts.sessions++;
      if (duration === undefined) counts.withoutDuration++;
      else durations.add(duration);
      if (credits_consumed === undefined) counts.withoutCredits++;
      else credits.add(credits_consumed);
    },
    value: (): SessionTotals => ({ ...counts, duration: durations.value(), credits: credits.value() }),
  };
}
