import { toPlainLine } from "../../base/text/index.js";
import type { ApplyHold, State } from "./state.js";

/** Returns the holds that have not expired. */
export function listActiveHolds(
  state: Pick<State, "holds"> | undefined,
  nowMs: number,
): readonly ApplyHold[] {
  return (state?.holds ?? []).filter(({ until }) => until === undefined || Date.parse(until) > nowMs);
}

/** Describes a hold: "until 2026-01-02 08:00 UTC (Ada, since 2026-01-01 03:04 UTC): the reason." */
export function describeHold({ by, since, until, reason }: ApplyHold): string {
  const line = toPlainLine(reason).trim();
  const end = until === undefined ? "" : `until ${formatTime(until)} `;
  return `${end}(${toPlainLine(by)}, since ${formatTime(since)}): ${line}${/[.!?…]$/.test(line) ? "" : "."}`;
}

function formatTime(at: string): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}
