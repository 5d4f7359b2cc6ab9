/** Observe, plan, apply: the comparison of what is declared with what is live, and the writing of the difference. */
export { apply } from "./apply.js";
export type { ApplyInput } from "./apply-input.js";
export { atMost, readsAtOnce } from "./at-most.js";
export type { Observation, Observed, Rotation } from "./observation.js";
export { type ObserveInput, observe } from "./observe.js";
export type { ApplyEvent, Outcome, Result, Status } from "./outcome.js";
export { type PlanOptions, plan } from "./plan.js";
export type {
  Action,
  Basis,
  Candidate,
  Change,
  FieldChange,
  Notice,
  Plan,
  Reason,
  Undeclared,
} from "./plan-value.js";
export { type ReadAgain, type ReadOnceMoreOptions, readOnceMore, type Unsettled } from "./read-once-more.js";
export { rememberSpec, strayedFields } from "./remember.js";
export type { Refresh } from "./rolls.js";
export { refuseStale, StalePlanError } from "./stale.js";
export { undeclaredIn } from "./undeclared.js";
export { attempting } from "./unreadable.js";
