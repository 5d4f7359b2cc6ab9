/** What was applied when: the records of a state, and the texts of earlier commits. */

export { type CommitTree, commitTree } from "./commit-tree.js";
export { readDefinitions, readGitUser, repositoryAt } from "./definitions.js";
export {
  definitionsIn,
  type ObjectRecord,
  objectHistory,
  type PastObject,
  type PastState,
  pastObject,
  pastState,
} from "./past-state.js";
export {
  type CurrentState,
  findCommitSerial,
  type HistoryItem,
  isSerial,
  readHistory,
} from "./read-history.js";
export { sentencesIn } from "./sentences.js";
export {
  type CommittedProject,
  declarationsAt,
  loadCommitted,
  openTextFinder,
  type TextFinder,
  type ValueLookup,
} from "./text-finder.js";
export {
  findUnseenChanges,
  openReachableCommits,
  type ReachableCommits,
  type ReplacedValue,
  type UnseenChange,
} from "./unseen-changes.js";
