/** Project operations, without the command line. */

export * from "./account/apply-project.js";
export * from "./account/execute-plan.js";
export * from "./account/hold-project.js";
export * from "./account/import-declared.js";
export * from "./account/prune.js";
export * from "./account/rollback.js";
export * from "./account/smoke.js";
export * from "./drift/drift-project.js";
export * from "./drift/status.js";
export * from "./files/blame.js";
export * from "./files/export-account.js";
export * from "./files/field-to-write.js";
export * from "./files/import-into-files.js";
export * from "./files/prepare-edits.js";
export * from "./files/pull.js";
export * from "./files/pull-document.js";
export * from "./files/render-declared.js";
export type * from "./gates/agreement.js";
export { isSettledPlan } from "./gates/agreement.js";
export * from "./gates/gates.js";
export * from "./gates/judge-plan.js";
export { LaterRunError } from "./gates/later-run.js";
export { withNeedsNotice } from "./gates/needs.js";
export * from "./many-projects/find-projects.js";
export * from "./notify/notices-of-outcomes.js";
export * from "./notify/notify.js";
export * from "./plan/environments.js";
export * from "./plan/plan.js";
export * from "./plan/plan-project.js";
export * from "./plan/threshold-advice.js";
export {
  type CodeHostOptions,
  findCodeHost,
  hostTokenVariables,
  isHostCredential,
} from "./project/code-host.js";
export * from "./project/connect.js";
export * from "./project/locators.js";
export * from "./project/open-project.js";
export * from "./project/presets.js";
export { createProjectOptions } from "./project/project-options.js";
export { assertTrustedJob } from "./project/trusted-job.js";
export * from "./proposal/propose-rollback.js";
export * from "./review/approvals.js";
export { findPullRequests } from "./review/change-origins.js";
export * from "./review/merged-pull-request.js";
export * from "./review/outcome.js";
export { findUnattendedRequirement } from "./review/required-approvals.js";
export * from "./review/review-all.js";
export * from "./review/review-project.js";
export * from "./review/reviewed-plan.js";
export { assertStarterApproves } from "./review/starter-approval.js";
export * from "./review/target.js";
export * from "./runtime/access.js";
export { isInCi } from "./runtime/actor.js";
export * from "./runtime/failure-document.js";
export type * from "./runtime/project.js";
export * from "./runtime/run-in-folder.js";
export * from "./runtime/runtime.js";
export * from "./runtime/shell-word.js";
export * from "./sessions/report-sessions.js";
export * from "./sessions/used-sessions.js";
export * from "./sessions/watch-sessions.js";
export * from "./state/ignore-in-git.js";
export * from "./state/project-history.js";
export * from "./state/project-store.js";
export * from "./state/replace-project.js";
export * from "./state/replace-service.js";
export * from "./state/saved-plan-file.js";
export * from "./state/show-history.js";
export * from "./state/state-changes.js";
