/** Observe, plan, apply: compares what is declared with what is live, and writes the difference. */
export type { Action } from "../kinds/index.js";
export { apply } from "./apply.js";
export type { ApplyInput } from "./apply-input.js";
export {
  type Drift,
  type DriftedField,
  type DriftedObject,
  type DriftInput,
  findDrift,
  recordedManifest,
} from "./drift.js";
export { findRecorded, type RecordedLookup } from "./find-recorded.js";
export { changesInUse } from "./in-use.js";
export { withKnownTexts } from "./known-texts.js";
export type { Refresh } from "./listings.js";
export { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";
export type { Observation, Observed, Rotation } from "./observation.js";
export { type ObserveInput, observe } from "./observe.js";
export { observeState } from "./observe-state.js";
export type { ApplyEvent, Outcome, Result, Status } from "./outcome.js";
export {
  findPendingRotations,
  observePendingRotations,
  type PendingRotations,
  rotatedAddresses,
} from "./pending-rotations.js";
export { type PlanOptions, plan } from "./plan.js";
export {
  type ActiveSessions,
  type Basis,
  type Candidate,
  type Change,
  type ExceededThreshold,
  type FieldChange,
  isLeftAlone,
  type Notice,
  type Plan,
  type PlanDefinitions,
  type Reason,
  type Undeclared,
} from "./plan-value.js";
export { type RecentObject, type RereadObject, type RereadOptions, rereadRecent } from "./reread-recent.js";
export { StalePlanError, throwIfOtherDigest, throwIfStale } from "./stale-plan.js";
export { changedFields, matchesStored, toStale, toStoredSpec } from "./stored-form.js";
export { findUndeclared } from "./undeclared.js";
export { isolateReadErrors } from "./unreadable.js";
