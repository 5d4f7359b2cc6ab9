/** Plans, outcomes and reports as versioned JSON documents without secrets. */

export {
  type Action,
  type ActionFacts,
  actionFacts,
  actionNames,
  type PlanExit,
} from "../../core/kinds/index.js";
export { describeHold } from "../../core/state/index.js";
export {
  type DurationUnit,
  durationSeconds,
  exactSum,
  type SessionsToday,
  type SessionTotals,
} from "../../sessions/reports/index.js";
export {
  type DiagnosticsDocument,
  diagnosticsDocument,
  type ShownDiagnostic,
  type ShownFinding,
  type ShownPlace,
} from "./diagnostics-document.js";
export { type DocumentName, documentNames, documentSchema, schemaFile } from "./document-schemas.js";
export {
  type DriftDocument,
  driftDocument,
  type ProposalFacts,
  type ShownDrift,
  type ShownDriftField,
} from "./drift-document.js";
export { type ErrorDocument, errorDocument, PolicyError } from "./error-document.js";
export {
  type BlameDocument,
  type BlamedSentence,
  blameDocument,
  type ComparedObject,
  type DiffDocument,
  diffDocument,
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
  planAsDiff,
  type ShownCommit,
  type ShownPoint,
  shownPoint,
  shownType,
} from "./history-document.js";
export {
  exportDocument,
  type ImportDocument,
  type ImportedObject,
  importDocument,
  type PullDocument,
  pullDocument,
} from "./import-document.js";
export {
  type NoticeContext,
  type NoticeDocument,
  type NoticeFacts,
  noticeDocument,
  withoutLongQuotes,
} from "./notice-document.js";
export {
  type OutcomeDocument,
  type OutcomeExit,
  outcomeDocument,
  outcomeExit,
  type ProgressEvent,
  type ShownCheck,
  type ShownResult,
  type ShownSmoke,
  type SmokeDocument,
  shownSmoke,
  smokeDocument,
} from "./outcome-document.js";
export {
  type DeclaredAt,
  type FindPlaces,
  type ForgottenText,
  isForgotten,
  type PlanDocument,
  planDocument,
  planExit,
  type ShownChange,
  type ShownField,
  type ShownLine,
  type ShownValue,
  withoutHints,
} from "./plan-document.js";
export { PlanFileError, readPlan, writePlan } from "./plan-file.js";
export type {
  ProjectEnvironment,
  ProjectResult,
  ProjectsDocument,
  ProjectsHead,
} from "./projects-document.js";
export { type RollbackDocument, rollbackDocument } from "./rollback-document.js";
export {
  type SessionEventDocument,
  type ShownInterruption,
  type ShownSessionEvent,
  type ShownSummary,
  sessionEventDocument,
} from "./session-event-document.js";
export {
  type SessionDocument,
  type SessionsDocument,
  type SessionsSummary,
  type ShownSession,
  sessionDocument,
  sessionsDocument,
  sessionsHead,
  sessionsSummary,
} from "./sessions-document.js";
export {
  type IncompleteReason,
  type ReportedBudget,
  type ReportedCount,
  type ReportedDay,
  type ReportedGroup,
  type ReportedTotals,
  type SessionsReportDocument,
  sessionsReportDocument,
} from "./sessions-report-document.js";
export {
  type StateListDocument,
  type StateMigrationDocument,
  type StateShowDocument,
  stateListDocument,
  stateMigrationDocument,
  stateShowDocument,
} from "./state-document.js";
export { type StatusDocument, statusDocument } from "./status-document.js";
