import type { Outcome, Plan, Status } from "../engine/index.js";
import { type Action, actionNames, factsOf, type PlanExit, planExits } from "../kinds/index.js";

/** The verdict on an apply. */
export type OutcomeExit =
  | "done"
  /** Nothing was applied. */
  | "failed"
  /** Some changes were applied and some were not. */
  | "partly"
  /** The user must decide, or the outcome of a write is unknown. */
  | "ambiguous"
  | "cancelled";

/** The number of objects per action, and of changes that would overwrite an edit made elsewhere. */
export type PlanSummary = Readonly<Record<Action | "drifted", number>>;

/** The number of results per status, and of unchanged objects. */
export type OutcomeSummary = Readonly<Record<Status | "kept", number>>;

/** Counts a plan's changes. */
export function summaryOf(plan: Plan): PlanSummary {
  const none = actionNames.map((action) => [action, 0] as const);
  const summary = { ...(Object.fromEntries(none) as Record<Action, number>), drifted: 0 };
  for (const change of plan.changes) {
    summary[change.action] += 1;
    if (change.overwrites) summary.drifted += 1;
  }
  return summary;
}

/**
 * What the plan comes to; what the user must look into comes before what is merely to be done. The numbers of exit codes
 * live in cli.
 */
export function planExit(plan: Plan): PlanExit {
  const exits = new Set(
    plan.changes.map(({ action, unread }) => (unread === "missing" ? "missing" : factsOf(action).exit)),
  );
  return planExits.find((exit) => exits.has(exit)) ?? "nothing";
}

/** Counts an outcome's results. */
export function outcomeSummaryOf(outcome: Outcome): OutcomeSummary {
  const summary = { applied: 0, failed: 0, skipped: 0, unknown: 0, kept: outcome.kept };
  for (const { status } of outcome.results) summary[status] += 1;
  return summary;
}

/** The verdict on the apply. */
export function outcomeExit(outcome: Outcome): OutcomeExit {
  const open = outcome.results.filter((result) => result.status !== "applied");
  if (outcome.cancelled) return "cancelled";
  if (open.some((result) => result.status === "unknown" || result.action === "ambiguous")) return "ambiguous";
  if (open.length === 0) return "done";
  // All was applied that could be: whether a kept value is the right one is not known.
  if (open.every(({ action }) => action === "keep")) return "partly";
  return open.length < outcome.results.length ? "partly" : "failed";
}
