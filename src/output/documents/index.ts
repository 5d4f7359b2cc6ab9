/** Plans, outcomes and reports as versioned JSON documents without secrets. */

export { capitalize, listNames } from "../../base/text/index.js";
export { describeEditChoices, describeEditEffect, referenceAdvice } from "../../core/engine/index.js";
export {
  type Action,
  type ActionFacts,
  actionFacts,
  actionNames,
  type PlanExit,
} from "../../core/kinds/index.js";
export { describeHold, describeProject } from "../../core/state/index.js";
export {
  type DurationUnit,
  type SessionsToday,
  type SessionTotals,
  toDurationSeconds,
} from "../../sessions/reports/index.js";

export * from "./diagnostics-document.js";
export * from "./document-schemas.js";
export * from "./drift-document.js";
export * from "./error-document.js";
export * from "./history-document.js";
export * from "./import-document.js";
export * from "./notice-document.js";
export * from "./outcome-document.js";
export * from "./plan-document.js";
export * from "./plan-file.js";
export type * from "./projects-document.js";
export * from "./rollback-document.js";
export * from "./session-event-document.js";
export * from "./sessions-document.js";
export * from "./sessions-report-document.js";
export * from "./state-document.js";
export * from "./status-document.js";
