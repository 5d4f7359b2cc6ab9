/** What was applied when: the records of a state, and the texts of earlier commits. */

/** The files of a commit. */
export { type CommitTree, commitTree } from "./commit-tree.js";
/** The commit of the files of a project. */
export { readDefinitions, readGitUser, repositoryAt } from "./definitions.js";
/** The applies that changed what sessions use. */
export { type Deployment, type Deployments, deploymentsSince } from "./deployments.js";
/** One object through time. */
export { type ObjectRecord, objectHistory, pastObject } from "./object-history.js";
/** A state as it was. */
export { definitionsIn, type PastObject, type PastState, pastState } from "./past-state.js";
/** A moment as the user names it. */
export { isSerial, serialOfCommit } from "./point.js";
/** Whether a checkout contains what was applied. */
export { openReachableCommits, type ReachableCommits } from "./reachable-commits.js";
/** The records, newest first. */
export { type CurrentState, type HistoryItem, readHistory } from "./read-history.js";
/** The texts of which only digests are recorded. */
export { openTextFinder, type TextFinder, type ValueLookup } from "./text-finder.js";
/** What was applied from commits that a checkout does not contain. */
export { findUnseenChanges, type ReplacedValue, type UnseenChange } from "./unseen-changes.js";
