import type { Action } from "../kinds/index.js";

/** How one change ended. */
export type Status =
  | "applied"
  /** The service refused it, or its answer was not what was sent. */
  | "failed"
  /** Not tried: drifted, cancelled, or something it needs failed. */
  | "skipped"
  /** Sent, and whether it was done is not known; the next plan looks. */
  | "unknown";

/** What came of one change. */
export interface Result {
  readonly address: string;
  readonly action: Action;
  readonly status: Status;
  readonly id?: string;
  /** Why it did not come to `applied`; a sentence that says what to do next. No secret. */
  readonly problem?: { readonly code: string; readonly message: string };
  /** Worth knowing, e.g. what stays in the service. */
  readonly notes: readonly string[];
}

/** What came of an apply. */
export interface Outcome {
  /** One for every change that is not a keep, in the plan's order. */
  readonly results: readonly Result[];
  /** Objects that were in order already. */
  readonly kept: number;
  /** The user or the system asked to stop. */
  readonly cancelled: boolean;
  /** Serial of the state after it. */
  readonly serial: number;
  /** Requests made: all, and those the service asked to slow down (429). */
  readonly requests: number;
  readonly throttled: number;
}

/** What happens during an apply, as it happens. */
export type ApplyEvent =
  | { readonly type: "started"; readonly address: string; readonly action: Action; readonly label: string }
  | { readonly type: "finished"; readonly result: Result; readonly done: number; readonly total: number }
  /** Something is waited for; `forMs` at most. */
  | { readonly type: "waiting"; readonly why: string; readonly forMs: number };
