/** The real git program, run so that nothing of the user's repository runs with it. */
export type { GitSetting } from "./environment.js";
export { GitError, type GitErrorCode } from "./git-error.js";
export { isCommitId, isRefName, plainUrl } from "./names.js";
export { type Git, type GitOptions, type GitOutput, openGit, type RunOptions } from "./program.js";
export { openRepository, type Repository } from "./repository.js";
