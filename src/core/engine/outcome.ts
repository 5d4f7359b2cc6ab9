import type { Action } from "../kinds/index.js";

/** How one change ended. */
export type Status =
  | "applied"
  /** The service refused it, or its answer differs from what was sent. */
  | "failed"
  /** Not tried: drifted, cancelled, or a change it depends on failed. */
  | "skipped"
  /** Sent, and its outcome is unknown; the next plan checks. */
  | "unknown";

/** The result of one change. */
export interface Result {
  readonly address: string;
  readonly action: Action;
  readonly status: Status;
  readonly id?: string;
  /** Why it was not `applied`; a sentence that says what to do next. Without secrets. */
  readonly problem?: { readonly code: string; readonly message: string };
  /** Further facts, e.g. what stays in the service. */
  readonly notes: readonly string[];
}

/** The outcome of an apply. */
export interface Outcome {
  /** One result for every change except keeps, in the plan's order. */
  readonly results: readonly Result[];
  /** Objects that needed no change. */
  readonly kept: number;
  /** The user or the system asked to stop. */
  readonly cancelled: boolean;
  /** Serial of the state after it. */
  readonly serial: number;
  /** Requests sent: all, and those answered with 429. */
  readonly requests: number;
  readonly throttled: number;
}

/** Progress events of an apply. */
export type ApplyEvent =
  | { readonly type: "started"; readonly address: string; readonly action: Action; readonly label: string }
  | { readonly type: "finished"; readonly result: Result; readonly done: number; readonly total: number }
  /** The apply waits, for at most `forMs`. */
  | { readonly type: "waiting"; readonly why: string; readonly forMs: number };
