import type { ApplyEvent, Outcome, Result, Status } from "../engine/index.js";
import type { Action } from "../kinds/index.js";
import { given, type Head, head } from "./document.js";
import type { ShownSmoke } from "./smoke-document.js";
import { type OutcomeExit, type OutcomeSummary, outcomeExit, outcomeSummaryOf } from "./verdict.js";

/** The outcome of an apply. */
export interface OutcomeDocument extends Head<"outcome"> {
  readonly exit: OutcomeExit;
  readonly summary: OutcomeSummary;
  readonly cancelled: boolean;
  readonly results: readonly ShownResult[];
  readonly state_serial: number;
  readonly requests: number;
  /** Requests answered with 429. */
  readonly throttled: number;
  /** With `--smoke`: whether sessions can be started with what was applied. */
  readonly smoke?: ShownSmoke;
}

/** The result of one change. */
export interface ShownResult {
  readonly address: string;
  readonly action: Action;
  readonly status: Status;
  readonly id?: string;
  readonly problem?: { readonly code: string; readonly message: string };
  readonly notes: readonly string[];
}

/** A step of an apply, or how far a read has come, for a progress line. */
export type ProgressEvent =
  | ApplyEvent
  | { readonly type: "reading"; readonly requests: number }
  | { readonly type: "writing"; readonly written: number; readonly total: number }
  /** `total` if it is known how many will be read. */
  | { readonly type: "reading-sessions"; readonly read: number; readonly total?: number | undefined };

/** Creates the document for an outcome. */
export function outcomeDocument(outcome: Outcome, smoke?: ShownSmoke): OutcomeDocument {
  return {
    ...head("outcome"),
    exit: outcomeExit(outcome),
    summary: outcomeSummaryOf(outcome),
    cancelled: outcome.cancelled,
    results: outcome.results.map(shownResult),
    state_serial: outcome.serial,
    requests: outcome.requests,
    throttled: outcome.throttled,
    ...given("smoke", smoke),
  };
}

function shownResult({ address, action, status, id, problem, notes }: Result): ShownResult {
  return {
    address,
    action,
    status,
    ...given("id", id),
    ...given("problem", problem && { code: problem.code, message: problem.message }),
    notes,
  };
}
