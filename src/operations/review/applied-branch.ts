import type { Repository } from "../../base/git/index.js";
import { readRun } from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { defaultBranch } from "./merge-with-base.js";

/**
 * Finds the branch that is applied. Only a pull request that was merged into it brought its review and approvals to it.
 *
 * @param named Branch that the command or CI names.
 * @returns the branch that is checked out, otherwise the remote's default branch; undefined if there is neither.
 */
export async function findAppliedBranch(
  runtime: Runtime,
  git: Repository,
  named?: string,
): Promise<string | undefined> {
  if (named !== undefined) return named;
  const checkedOut = await git.run(["symbolic-ref", "--quiet", "--short", "HEAD"], { exits: [0, 1, 128] });
  const branch = checkedOut.exit === 0 ? checkedOut.stdout.toString("utf8").trim() : "";
  return branch || (await defaultBranch(runtime));
}

/** The same for a command that names no branch. */
export async function readRunBranch(runtime: Runtime, git: Repository): Promise<string | undefined> {
  return findAppliedBranch(runtime, git, (await readRun(runtime.host.environment, {})).branch);
}
