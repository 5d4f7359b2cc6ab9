import type { SessionRow } from "./row.js";
import { openSums } from "./sum.js";

/** Totals of sessions that come one by one. */
export function openTotals() {
  const [all, sandbox] = [openSums(), openSums()];
  return {
    add(session: SessionRow): void {
      all.add(session);
      if (session.is_sandbox) sandbox.add(session);
    },
    value: () => ({ all: all.value(), sandbox: sandbox.value() }),
  };
}
