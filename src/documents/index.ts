/** Plans, outcomes and reports as versioned JSON documents that hold no secret. */

/** What is known of each action a plan can have. */
export { type Action, type ActionFacts, actionNames, factsOf, type PlanExit } from "../kinds/index.js";

/** What is wrong with what the user wrote. */
export {
  type DiagnosticsDocument,
  diagnosticsDocument,
  type ShownDiagnostic,
  type ShownPlace,
} from "./diagnostics-document.js";
/** JSON for every failure. */
export { type ErrorDocument, errorDocument } from "./error-document.js";
/** A project written from an account. */
export { type ExportDocument, type ExportedObject, exportDocument } from "./export-document.js";
/** What was declared of an account. */
export { type ImportDocument, type ImportedObject, importDocument } from "./import-document.js";
/** What came of an apply, and its steps on the way. */
export {
  type OutcomeDocument,
  outcomeDocument,
  type ProgressEvent,
  type ShownResult,
} from "./outcome-document.js";
/** A plan to be shown. */
export {
  type ForgottenText,
  isForgotten,
  type PlaceOfText,
  type PlanDocument,
  planDocument,
  type ShownCandidate,
  type ShownChange,
  type ShownField,
  type ShownUndeclared,
  type ShownValue,
} from "./plan-document.js";
/** A plan to be applied later: written and read back exactly, or refused with a {@link PlanFileError}. */
export { readPlan, writePlan } from "./plan-file.js";
export { PlanFileError, type PlanFileProblem } from "./plan-file-error.js";
/** What a pull wrote into the files. */
export { type PullDocument, type PulledField, pullDocument, type RefusedPull } from "./pull-document.js";
/** The sessions of an account. */
export {
  type SessionsDocument,
  type ShownSession,
  type ShownTotals,
  sessionsDocument,
} from "./sessions-document.js";
/** What a state remembers, handed in as plain values. */
export {
  type ListedObject,
  type ObjectFacts,
  type PendingFacts,
  type ShownPending,
  type StaleFacts,
  type StateFacts,
  type StateListDocument,
  type StateShowDocument,
  stateListDocument,
  stateShowDocument,
} from "./state-document.js";
/** What a plan and an outcome come to, as data; the exit codes' numbers live in cli. */
export {
  type OutcomeExit,
  type OutcomeSummary,
  outcomeExit,
  type PlanSummary,
  planExit,
} from "./verdict.js";
