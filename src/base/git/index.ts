/** Runs git without running programs that the user's repository configures. */
export { fetchQuietly, isAncestor, isShallow } from "./ancestry.js";
export { type GitSetting, toConfigVariables } from "./environment.js";
export { GitError, type GitErrorCode, ignoreGitFailure } from "./git-error.js";
export { type MergeResult, mergeCommits } from "./merge.js";
export { isCommitId, isRefName, showUrl } from "./names.js";
export { readObjects } from "./objects.js";
export { type Git, type GitOptions, openGit } from "./program.js";
export { findOriginUrl, isSameRepository, parseRepositoryName, readRepositoryPath } from "./remotes.js";
export { isSubmodule, openRepository, type Repository, resolveCommit } from "./repository.js";
export { type GitSettingsCache, readGitSettings, readIdentity, readUser } from "./settings.js";
export { listFiles, type TreeFile } from "./tree.js";
