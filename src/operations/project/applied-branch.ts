import path from "node:path";
import {
  fetchQuietly,
  ignoreGitFailure,
  isCommitId,
  isRefName,
  isShallow,
  type Repository,
  resolveCommit,
} from "../../base/git/index.js";
import { findRepository } from "../../core/history/index.js";
import { readRun } from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";

/**
 * Finds the applied branch. Only pull requests merged into this branch count for reviews and approvals.
 *
 * @param named Branch from the command or CI.
 * @returns the named or checked-out branch, or else the remote's default branch, or undefined if there is none.
 */
export async function findAppliedBranch(
  runtime: Runtime,
  git: Repository,
  named?: string,
): Promise<string | undefined> {
  if (named !== undefined) return named;
  const checkedOut = await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], { exits: [0, 1, 128] });
  const branch = checkedOut.exit === 0 ? checkedOut.stdout.toString("utf8").trim() : "";
  return branch || (await findDefaultBranch(runtime));
}

/** Finds the applied branch for a command without a branch option. */
export async function readRunBranch(runtime: Runtime, git: Repository): Promise<string | undefined> {
  return findAppliedBranch(runtime, git, (await readRun(runtime.host.environment, {})).branch);
}

/** Asks the remote for its default branch. Returns undefined if it cannot be reached or does not report one. */
export async function findDefaultBranch({ host, options, signal }: Runtime): Promise<string | undefined> {
  const folder = host.resolve(path.dirname(options.file ?? ""));
  const repository = await findRepository(folder, { environment: host.environment, signal });
  const listed = await repository
    ?.readText(["ls-remote", "--symref", "--", "origin", "HEAD"])
    .catch(ignoreGitFailure);
  return /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed ?? "")?.[1];
}

/**
 * Reads a branch's current tip on origin. Fetches the tip, unless the clone is shallow.
 *
 * @returns undefined if origin has no such branch.
 * @throws GitError
 */
export async function readRemoteTip(repository: Repository, branch: string): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  if (!isRefName(ref)) return undefined;
  const refs = (await repository.readText(["ls-remote", "--", "origin", ref])).split("\n");
  const tip = refs.find((line) => line.endsWith(`\t${ref}`))?.split("\t")[0] ?? "";
  if (!isCommitId(tip)) return undefined;
  const isHere = (await resolveCommit(repository, tip)) !== undefined;
  if (!isHere && !(await isShallow(repository))) await fetchQuietly(repository, "origin", [ref]);
  return tip;
}
