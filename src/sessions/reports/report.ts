import type { Service } from "../../core/api/index.js";
import { readSessions, type SessionQuery } from "./read.js";
import type { SessionRow } from "./row.js";
import { openSums, type SessionTotals } from "./sum.js";

/** The sessions of one type, newest first, with totals. */
export interface SessionReport {
  readonly type: "active" | "historic";
  /** Every page was read, and the list kept still meanwhile. */
  readonly complete: boolean;
  readonly sessions: readonly SessionRow[];
  /** Sandbox sessions are also in `all`; they consume no credits (§8). */
  readonly totals: { readonly all: SessionTotals; readonly sandbox: SessionTotals };
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
export function openTotals() {
  const [all, sandbox] = [openSums(), openSums()];
  return {
    add(session: SessionRow): void {
      all.add(session);
      if (session.is_sandbox) sandbox.add(session);
    },
    value: (): SessionReport["totals"] => ({ all: all.value(), sandbox: sandbox.value() }),
  };
}
