/** Plans, outcomes and reports as versioned JSON documents without secrets. */

/** What is known of each action a plan can have. */
export {
  type Action,
  type ActionFacts,
  actionNames,
  factsOf,
  type PlanExit,
} from "../../core/kinds/index.js";

/** What durations of sessions are counted in. */
export {
  type DurationUnit,
  durationSeconds,
  exactSum,
  type SessionsToday,
} from "../../sessions/reports/index.js";

/** Diagnostics of the user's files. */
export {
  type DiagnosticsDocument,
  diagnosticsDocument,
  type ShownDiagnostic,
  type ShownFinding,
  type ShownPlace,
} from "./diagnostics-document.js";
/** JSON Schema of documents. */
export { type DocumentName, documentNames, documentSchema, schemaFile } from "./document-schemas.js";
/** What moved in the account since the last apply. */
export {
  type DriftDocument,
  type DriftFacts,
  driftDocument,
  type ProposalFacts,
  type ShownDrift,
  type ShownDriftField,
} from "./drift-document.js";
/** JSON for every failure. */
export { type ErrorDocument, errorDocument } from "./error-document.js";
/** A project exported from an account. */
export { type ExportDocument, type ExportedObject, exportDocument } from "./export-document.js";
/** What was applied when. */
export {
  fieldsThatDiffer,
  type HistoryChange,
  type HistoryDiffDocument,
  type HistoryField,
  type HistoryGapDocument,
  type HistoryHead,
  type HistoryItemDocument,
  type HistoryRecordDocument,
  historyDiff,
  historyHead,
  historyRecord,
  type ObjectDocument,
  type ObjectField,
  objectDocument,
  type ShownCommit,
  type ShownPoint,
  shownPoint,
  shownType,
} from "./history-document.js";
/** What an import declared. */
export { type ImportDocument, type ImportedObject, importDocument } from "./import-document.js";
/** The outcome of an apply, and its progress events. */
export {
  type OutcomeDocument,
  type OutcomeExit,
  outcomeDocument,
  outcomeExit,
  type ProgressEvent,
  type ShownResult,
} from "./outcome-document.js";
/** A plan to show. */
export {
  type DeclaredAt,
  type ForgottenText,
  isForgotten,
  type PlaceOfText,
  type PlanDocument,
  planDocument,
  planExit,
  type ShownCandidate,
  type ShownChange,
  type ShownField,
  type ShownLine,
  type ShownUndeclared,
  type ShownValue,
} from "./plan-document.js";
/** A plan to apply later: written and read back exactly, or refused with a {@link PlanFileError}. */
export { PlanFileError, type PlanFileProblem, readPlan, writePlan } from "./plan-file.js";
export { PolicyError } from "./policy-error.js";
/** What a pull wrote into the files. */
export { type PullDocument, type PulledField, pullDocument, type RefusedPull } from "./pull-document.js";
/** What happens while the sessions are watched. */
export {
  type SessionEventDocument,
  type ShownInterruption,
  type ShownSessionEvent,
  type ShownSummary,
  sessionEventDocument,
} from "./session-event-document.js";
/** The sessions of an account. */
export {
  type SessionsDocument,
  type SessionsSummary,
  type ShownSession,
  type ShownTotals,
  sessionsDocument,
  sessionsHead,
  sessionsSummary,
} from "./sessions-document.js";
/** Sessions of a period, beside those of the period before. */
export {
  type DeploymentFacts,
  type IncompleteReason,
  type ReportedBudget,
  type ReportedCount,
  type ReportedDay,
  type ReportedDeployment,
  type ReportedGroup,
  type ReportedTotals,
  type SessionsReportDocument,
  type SessionsReportFacts,
  sessionsReportDocument,
} from "./sessions-report-document.js";
/** Whether sessions can be started with presets. */
export {
  type ShownCheck,
  type ShownSmoke,
  type SmokeDocument,
  shownSmoke,
  smokeDocument,
} from "./smoke-document.js";
/** The content of a state. */
export {
  type ListedObject,
  type ShownPending,
  type StateListDocument,
  type StateShowDocument,
  stateListDocument,
  stateShowDocument,
} from "./state-document.js";
export {
  type StateMigrationDocument,
  stateMigrationDocument,
} from "./state-migration-document.js";
export {
  type ShownSecret,
  type ShownSecretField,
  type StateSecretsDocument,
  stateSecretsDocument,
} from "./state-secrets-document.js";
