import type { Action, Outcome, Plan, Status } from "../engine/index.js";

/** What a plan comes to. The numbers of exit codes live in cli. */
export type PlanExit =
  | "nothing"
  | "changes"
  /** An object with a declared id does not exist. */
  | "missing"
  /** An object could not be read. */
  | "unreadable"
  /** The user must decide which object is meant. */
  | "ambiguous";

/** What an apply came to. */
export type OutcomeExit =
  | "done"
  /** Nothing was applied. */
  | "failed"
  /** Some changes were applied and some were not. */
  | "partly"
  /** The user must decide, or whether something was done is not known. */
  | "ambiguous"
  | "cancelled";

/** How many objects for each action, and how many of the changes would overwrite an edit made elsewhere. */
export type PlanSummary = Readonly<Record<Action | "drifted", number>>;

/** How many results for each status, and how many objects were in order already. */
export type OutcomeSummary = Readonly<Record<Status | "kept", number>>;

/** Counts a plan's changes. */
export function summaryOf(plan: Plan): PlanSummary {
  const summary = {
    create: 0,
    update: 0,
    adopt: 0,
    supersede: 0,
    forget: 0,
    missing: 0,
    unreadable: 0,
    ambiguous: 0,
    keep: 0,
    drifted: 0,
  };
  for (const change of plan.changes) {
    summary[change.action] += 1;
    if (change.overwrites) summary.drifted += 1;
  }
  return summary;
}

/** What the plan comes to; what the user must look into comes before what is merely to be done. */
export function planExit(plan: Plan): PlanExit {
  const { keep, drifted, missing, unreadable, ambiguous, ...pending } = summaryOf(plan);
  if (ambiguous > 0) return "ambiguous";
  if (missing > 0) return "missing";
  if (unreadable > 0) return "unreadable";
  return Object.values(pending).some((count) => count > 0) ? "changes" : "nothing";
}

/** Counts an outcome's results. */
export function outcomeSummaryOf(outcome: Outcome): OutcomeSummary {
  const summary = { applied: 0, failed: 0, skipped: 0, unknown: 0, kept: outcome.kept };
  for (const { status } of outcome.results) summary[status] += 1;
  return summary;
}

/** What the apply came to. */
export function outcomeExit(outcome: Outcome): OutcomeExit {
  const open = outcome.results.filter((result) => result.status !== "applied");
  if (outcome.cancelled) return "cancelled";
  if (open.some((result) => result.status === "unknown" || result.action === "ambiguous")) return "ambiguous";
  if (open.length === 0) return "done";
  return open.length < outcome.results.length ? "partly" : "failed";
}
