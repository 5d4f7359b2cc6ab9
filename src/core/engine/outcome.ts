import { type Action, findKind, type Value } from "../kinds/index.js";
import { describeEditChoices, describeEditEffect } from "./edit-choices.js";
import { mergeValues } from "./merge-values.js";
import { type Change, isDrift, type Plan } from "./plan-types.js";

export type Status =
  | "applied"
  /** Change that the service rejected or stored with different values. */
  | "failed"
  /** Change that was not started, because of drift, a cancellation or a failed prerequisite. */
  | "skipped"
  /** Sent change with an unknown outcome. The next plan checks the object. */
  | "unknown";

export interface Result {
  readonly address: string;
  /** Object name. Omitted for changes from an interrupted run. */
  readonly label?: string;
  readonly action: Action;
  readonly status: Status;
  readonly id?: string;
  /** Reason why the change was not applied, and what to do next. Contains no secrets. */
  readonly problem?: { readonly code: string; readonly message: string };
  /** Further facts, such as objects that stay in the account. */
  readonly notes: readonly string[];
}

export interface Outcome {
  /** Results of an interrupted run, then one result for every change except keeps, in plan order. */
  readonly results: readonly Result[];
  /** Number of objects that needed no change. */
  readonly kept: number;
  /** Whether the user or the system cancelled the run. */
  readonly cancelled: boolean;
  /** State problem that stopped the run early or prevented the commit. */
  readonly stopped?: { readonly code: string; readonly message: string } | undefined;
  /** Whether the state contains every outcome. If not, the next run recovers the missing outcomes. */
  readonly isRecorded: boolean;
  /** Created objects whose ids are not in the state. */
  readonly unrecorded: readonly { readonly address: string; readonly id: string }[];
  /** State serial after the apply. */
  readonly serial: number;
  /** Number of requests sent. */
  readonly requests: number;
  readonly throttled: number;
}

/** Outcome of a run that did nothing because another run applied the plan. */
export const emptyOutcome: Outcome = {
  ...{ results: [], kept: 0, cancelled: false, isRecorded: true, unrecorded: [] },
  ...{ serial: 0, requests: 0, throttled: 0 },
};

export type ApplyEvent =
  | { readonly type: "started"; readonly address: string; readonly action: Action; readonly label: string }
  | { readonly type: "finished"; readonly result: Result; readonly done: number; readonly total: number }
  /** Wait of at most `forMs` during the apply. */
  | { readonly type: "waiting"; readonly why: string; readonly forMs: number };

export function createResult(
  { address, label, action, id }: Change,
  status: Status,
  rest: Partial<Pick<Result, "id" | "problem" | "notes">>,
): Result {
  return { address, label, action, status, ...(id !== undefined && { id }), notes: [], ...rest };
}

export function createSkippedResult(change: Change, code: string, message: string): Result {
  return createResult(change, "skipped", { problem: { code, message } });
}

/** Returns whether no work is left for an object. Skipped dashboard edits and objects in use count as settled. */
export function isSettled(status: string, problem: string | undefined): boolean {
  return status === "applied" || problem === "drifted" || problem === "in-use";
}

/**
 * Creates the result of a change that was not sent because of a store error. The error itself is reported once, in the
 * outcome.
 */
export function createNotSentResult(change: Change): Result {
  return createSkippedResult(change, "run-stopped", "Not sent, because this run cannot write the state.");
}

export function createStoppedResult(change: Change): Result {
  return createSkippedResult(change, "cancelled", "Not started, because the apply was cancelled.");
}

/** Creates the result of a change that was skipped because of a hold or a dashboard edit. */
export function createWithheldResult(change: Change, { rollback, lastApplied = {} }: Plan): Result {
  if (change.held !== undefined) return createSkippedResult(change, "held", change.held);
  const context = { isRollback: rollback !== undefined, hasConflicts: hasConflicts(change, lastApplied) };
  return createSkippedResult(
    change,
    isDrift(change) ? "drifted" : "conflicting",
    `${describeEditEffect(change, context)} ${describeEditChoices(change, context)}`,
  );
}

/** Returns whether both sides changed the same part of a field. */
function hasConflicts(
  { address, kind, fields }: Change,
  lastApplied: NonNullable<Plan["lastApplied"]>,
): boolean {
  return fields.some(({ field, cause, before, after }) => {
    const [facts, applied] = [findKind(kind)?.fields[field], lastApplied[`${address}.${field}`]];
    if (cause !== "conflicting" || !facts || applied === undefined || after === undefined) return false;
    return (
      mergeValues(facts, { applied, yours: after, dashboard: (before as Value) ?? "" }).conflicts.length > 0
    );
  });
}
