/** Observe, plan, apply: the comparison of what is declared with what is live, and the writing of the difference. */
export type { ApplyEvent, Outcome, Result, Status } from "./outcome.js";
export type {
  Action,
  Basis,
  Candidate,
  Change,
  FieldChange,
  Notice,
  Plan,
  Reason,
} from "./plan-value.js";
