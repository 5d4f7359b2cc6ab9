import type { Action } from "../kinds/index.js";
import { type Change, isDrift } from "./plan-types.js";

export type Status =
  | "applied"
  /** The service refused it, or its answer differs from what was sent. */
  | "failed"
  /** Not tried: drifted, cancelled, or a change it depends on failed. */
  | "skipped"
  /** Sent, and its outcome is unknown; the next plan checks. */
  | "unknown";

export interface Result {
  readonly address: string;
  /** The object's name; absent for what an interrupted run had done. */
  readonly label?: string;
  readonly action: Action;
  readonly status: Status;
  readonly id?: string;
  /** Why it was not `applied`; a sentence that says what to do next. Without secrets. */
  readonly problem?: { readonly code: string; readonly message: string };
  /** Further facts, e.g. what stays in the service. */
  readonly notes: readonly string[];
}

export interface Outcome {
  /** First what an interrupted run had done, then one result for every change except keeps, in the plan's order. */
  readonly results: readonly Result[];
  /** Objects that needed no change. */
  readonly kept: number;
  /** The user or the system asked to stop. */
  readonly cancelled: boolean;
  /** Why the run sent nothing more before its end, or could not commit: a problem of the state. */
  readonly stopped?: { readonly code: string; readonly message: string } | undefined;
  /** The state has every outcome. Otherwise the next run looks for them. */
  readonly isRecorded: boolean;
  /** Objects that were created, and whose ids no state has. */
  readonly unrecorded: readonly { readonly address: string; readonly id: string }[];
  /** Serial of the state after it. */
  readonly serial: number;
  /** Requests sent: all, and those answered with 429. */
  readonly requests: number;
  readonly throttled: number;
}

/** The outcome of a run that left everything to another one. */
export const emptyOutcome: Outcome = {
  ...{ results: [], kept: 0, cancelled: false, isRecorded: true, unrecorded: [] },
  ...{ serial: 0, requests: 0, throttled: 0 },
};

export type ApplyEvent =
  | { readonly type: "started"; readonly address: string; readonly action: Action; readonly label: string }
  | { readonly type: "finished"; readonly result: Result; readonly done: number; readonly total: number }
  /** The apply waits, for at most `forMs`. */
  | { readonly type: "waiting"; readonly why: string; readonly forMs: number };

export function result(
  { address, label, action, id }: Change,
  status: Status,
  rest: Partial<Pick<Result, "id" | "problem" | "notes">>,
): Result {
  return { address, label, action, status, ...(id !== undefined && { id }), notes: [], ...rest };
}

export function skipped(change: Change, code: string, message: string): Result {
  return result(change, "skipped", { problem: { code, message } });
}

/** Whether a run did everything for an object that the files ask for. A dashboard edit stays, and so does what others use. */
export function isSettled(status: string, problem: string | undefined): boolean {
  return status === "applied" || problem === "drifted" || problem === "in-use";
}

export function stopped(change: Change): Result {
  return skipped(change, "cancelled", "Not started: the apply was asked to stop.");
}

/** Not changed, because it is on hold or was edited in the dashboard. `conflicting`: the files changed as well. */
export function leftAlone(change: Change): Result {
  if (change.held !== undefined) return skipped(change, "held", change.held);
  const code = isDrift(change) ? "drifted" : "conflicting";
  const files = change.action === "delete" ? "no longer declare it" : "changed as well";
  const both = code === "conflicting" ? `, and the files ${files}` : "";
  return skipped(change, code, `It was edited elsewhere since the last apply${both}: ${ways(change)}.`);
}

function ways({ address, action, fields }: Change): string {
  if (action === "delete") return "keep it by declaring it again, or delete it anyway with --overwrite-drift";
  if (fields.every(({ type, cause }) => cause === "configured" || type === "reference"))
    return "declare the object that it refers to now, or overwrite it with --overwrite-drift";
  return `take the edit with \`avatarops pull ${address}\`, or overwrite it with --overwrite-drift`;
}
