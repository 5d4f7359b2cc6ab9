/** What a project does, apart from the command line. */

export { isPinned, sourceEnvironment } from "./access.js";
export { type FindProjectsOptions, type FoundProjects, findProjects } from "./all/find-projects.js";
export { type ApplyOptions, type ApplyResult, applyProject } from "./apply-project.js";
export { blame } from "./blame.js";
export { addressIn, readProxy, resolveAccess, withService } from "./connect.js";
export { declarationsIn, placesIn } from "./declared-places.js";
export { driftProject } from "./drift/drift-project.js";
export { compareSides, promote } from "./environments.js";
export { executePlan, type PlanToApprove, type PreparedPlan } from "./execute-plan.js";
export { type ExportResult, exportAccount } from "./export-account.js";
export { failureDocument } from "./failure-document.js";
export { inFolder } from "./folder.js";
export { type GateOptions, passLateGate, refusals } from "./gates.js";
export { endRestored, type HoldOptions, holdProject, releaseProject, renameInHolds } from "./hold-project.js";
export { addLines, ignoreInGit } from "./ignore-in-git.js";
export { type ImportResult, importDeclared } from "./import-declared.js";
export { type ImportReport, type ImportTarget, importIntoFiles } from "./import-into-files.js";
export { judgePlan } from "./judge-plan.js";
export { appliedNotices, driftedNotice, isLeftAlone, rotationNotice } from "./notify/facts.js";
export { notify } from "./notify/notify.js";
export {
  definitionsWith,
  InvalidProjectError,
  judge,
  loadFiles,
  loadProject,
  openAccount,
  openProject,
  toLoadOptions,
  withRelativePlaces,
} from "./open-project.js";
export { makePlan, refuseOtherService } from "./plan.js";
export { type ProjectPlan, planProject } from "./plan-project.js";
export { chooseSandboxAvatar, idLookup, presetNamed, usedBy, warnOfPlaceholders } from "./presets.js";
export type { OpenProject, Project } from "./project.js";
export { kindAt, openHistory, type ProjectHistory } from "./project-history.js";
export {
  ignoreLock,
  lockOptions,
  openProjectStore,
  readState,
  reportLock,
  stateLocation,
  storeEnvironment,
} from "./project-store.js";
export { proposeRollback } from "./propose-rollback.js";
export { findPrunable, type PrunableObject, pruneProject } from "./prune.js";
export { pullProject } from "./pull.js";
export { listEditedFiles } from "./pull-places.js";
export { type RenderedText, renderDeclared } from "./render-declared.js";
export { type PointInTime, readPeriod, reportProject } from "./report-sessions.js";
export { recordedPullRequest } from "./review/approvals.js";
export { findMergedChange, findReviewedChange } from "./review/merged-change.js";
export { reportingOutcome } from "./review/outcome.js";
export { type ProjectReview, reviewAll } from "./review/review-all.js";
export { reviewProject } from "./review/review-project.js";
export { checkReviewed } from "./review/reviewed-plan.js";
export { findReviewTarget } from "./review/target.js";
export { planRollback, rollbackProject } from "./rollback.js";
export {
  closeRuntime,
  createRuntime,
  type OperationHost,
  type OperationOptions,
  quietReporter,
  type Reporter,
  type Runtime,
  type RuntimeInput,
  type StopSignals,
} from "./runtime.js";
export { planDefinitions, readPlanFile, refuseTarget } from "./saved-plan-file.js";
export { shellWord } from "./shell-word.js";
export { compareInHistory, listHistory, showObject } from "./show-history.js";
export { sleepOn } from "./sleep.js";
export { rollbackTo, smoke } from "./smoke.js";
export { changeState, failUnlessInState, noState, without } from "./state-changes.js";
export { projectStatus } from "./status.js";
export { describeTests, testPrompts } from "./test-prompts.js";
export { findSessionFilters, requireProfile, usedAsFilters } from "./used-sessions.js";
export { refuseWhileActive, waitMsFor } from "./wait-for-idle.js";
export { WatchLoop } from "./watch-sessions.js";
