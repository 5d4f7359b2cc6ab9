import { digestInDescription, reviewContext } from "../review/index.js";
import { withCodeHost } from "./code-host.js";
import type { Call } from "./command.js";
import { UsageError } from "./failure.js";
import { reviewTargetOf } from "./reviewing/target.js";

/**
 * The digest of the plan that was reviewed: that of the commit status which `avatarops review` set on the head of the pull request by
 * which the checked-out commit came to its branch. Statuses of others do not count.
 *
 * @throws UsageError `not-reviewed`; HostSetupError, HostError.
 */
export async function reviewedDigest(call: Call): Promise<string> {
  const { commit, reviewed } = await reviewTargetOf(call);
  if (commit === undefined)
    throw new UsageError(
      "not-reviewed",
      "--reviewed needs a git repository, with the merged commit checked out.",
    );
  const context = reviewContext(reviewed);
  return withCodeHost(call, async (host) => {
    const pulls = (await host.pullRequestsOf(commit)).filter(({ isOpen }) => !isOpen);
    for (const { headCommit } of pulls) {
      for await (const status of host.ownStatuses(headCommit)) {
        if (status.context !== context) continue;
        const digest = digestInDescription(status.description);
        if (digest !== undefined) return digest;
        break;
      }
    }
    const looked = pulls.map(({ number }) => `#${number}`).join(", ");
    throw new UsageError(
      "not-reviewed",
      `${looked ? `The last commit of pull request ${looked} has no status ${context} with a plan` : `The commit ${commit} did not come by a merged pull request`}. Look at \`avatarops plan\`, and give its digest: \`avatarops apply --digest DIGEST\`.`,
    );
  });
}
