import path from "node:path";
import { GitError } from "./git-error.js";
import type { Repository } from "./repository.js";

/** Merge commit, or paths of the conflicting files, relative to the repository. */
export type MergeResult = { readonly commit: string } | { readonly conflicts: readonly string[] };

/**
 * Merges two commits into a new commit object, without touching a work tree, an index or a ref. Runs no filters or
 * merge drivers, so a file with a merge driver counts as a conflict.
 *
 * @throws GitError `git-too-old` before git 2.38; `failed` without a common history, as in a shallow clone.
 */
export async function mergeCommits(
  git: Pick<Repository, "run" | "readText" | "prefix">,
  ours: string,
  theirs: string,
): Promise<MergeResult> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const { exit, stdout } = await git.run(args, { exits: [0, 1, 129] });
  if (exit === 129)
    throw new GitError(
      "git-too-old",
      "git merge-tree",
      "Merging needs git 2.38 or later. Install a newer version of git.",
    );
  const [tree = "", ...conflicts] = stdout.toString("utf8").split("\0").filter(Boolean);
  if (exit === 1)
    return { conflicts: [...new Set(conflicts)].map((name) => path.posix.join(git.prefix, name)) };
  const [name, email, date] = ["avatarops", "avatarops@localhost", "@0 +0000"];
  const environment = {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  const parents = ["-p", ours, "-p", theirs];
  return { commit: await git.readText(["commit-tree", ...parents, "-m", "Merge", tree], { environment }) };
}
