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
