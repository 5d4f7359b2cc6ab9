import { UsageError } from "../../base/diagnostics/index.js";
import { listed } from "../../base/text/index.js";
import { type Plan, StalePlanError } from "../../core/engine/index.js";
import { digestChanges } from "../../core/kinds/index.js";
import type { RecordedPullRequest } from "../../core/state/index.js";
import type { PullRequest } from "../../review/hosts/index.js";
import { onCodeHost } from "../project/code-host.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkApprovals, recordedPullRequest } from "./approvals.js";
import { pullRequestsSince, readLastApply } from "./last-apply.js";
import { applyByHand, digestOn, explain, type MergedChange } from "./merged-pull-request.js";
import { mostObjects, objectName, readReviewed } from "./reviewed-changes.js";

/**
 * The rule of `apply --reviewed`: each change of the plan is, to the letter, in the review of the last commit of a pull request that was
 * merged since the last complete apply. It belongs to the oldest one that has it. With a review key, only signed reviews count.
 *
 * @param needed how many approvals the command asks for.
 * @returns the pull requests that take part, and what the record says.
 * @throws UsageError `not-reviewed`, `not-approved`; StalePlanError; HostError, HostSetupError.
 */
export function checkReviewed(
  runtime: Runtime,
  project: Project,
  { target, pull: own }: MergedChange,
  plan: Plan,
  needed: number | undefined,
): Promise<{ readonly pulls: readonly PullRequest[]; readonly pullRequest: RecordedPullRequest }> {
  return onCodeHost(runtime, target.run.host, async (host) => {
    const past = await readLastApply(runtime, project);
    const left = new Map(
      plan.changes
        .filter(({ action }) => action !== "keep")
        .map((change) => [change.address, digestChanges(plan.basis, [change])]),
    );
    const pulls: PullRequest[] = [];
    const reasons: string[] = [];
    let isReviewed = false;
    for (const pull of await pullRequestsSince(host, past, project, target.branch)) {
      const { digest, isUnsigned } = await digestOn(host, pull.headCommit, target);
      // A list may be cut, and there may be no comment: the plan as a whole is in the status.
      const isWhole = digest === plan.digest;
      const reviewed = isWhole ? undefined : await readReviewed(host, pull.number, target, pull.headCommit);
      const before = left.size;
      for (const [address, change] of left)
        if (isWhole || reviewed?.get(objectName(target, address)) === change) left.delete(address);
      if (left.size < before) pulls.push(pull);
      isReviewed ||= digest !== undefined || left.size < before;
      const review = `The review of pull request #${pull.number}`;
      if (reviewed && reviewed.size >= mostObjects)
        reasons.push(`${review} names only its first ${mostObjects} changes`);
      else if (left.size === before)
        reasons.push(
          digest === undefined ? explain(pull, target, isUnsigned) : `${review} has other changes`,
        );
      if (left.size === 0) break;
    }
    const last = pulls.find(({ number }) => number === own?.number) ?? pulls.at(-1);
    if (left.size > 0 || !last) {
      if (!own && reasons.length === 0)
        reasons.push(`The commit ${target.commit} was not merged through a pull request`);
      const why = `${[...reasons, "Nothing was applied"].join(". ")}. ${applyByHand}`;
      if (isReviewed)
        throw new StalePlanError([
          `What is to be done to ${listed([...left.keys()])} is in no review of a pull request merged since the last complete apply.`,
          why,
        ]);
      throw new UsageError("not-reviewed", why);
    }
    const sources = { git: past.git, host, branch: target.branch, pulls };
    const approvals = await checkApprovals(runtime, project, sources, needed);
    return { pulls, pullRequest: { ...recordedPullRequest(last), ...approvals } };
  });
}
