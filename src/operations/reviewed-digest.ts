import { UsageError } from "../base/diagnostics/index.js";
import {
  type CodeHost,
  digestInDescription,
  type PullRequest,
  queued,
  reviewContext,
} from "../review/hosts/index.js";
import { withCodeHost } from "./code-host.js";
import { type ReviewOptions, type ReviewTarget, readReviewTarget } from "./review/target.js";
import type { Runtime } from "./runtime.js";

/**
 * The digest of the plan that was reviewed: that of the commit status which `avatarops review` set on the head of the pull request by
 * which the checked-out commit came to its branch. Statuses of others do not count, and with a key only those that are signed with it.
 *
 * @param merged the pull request, where it is known.
 * @returns the digest, or why there is none: a plan that does nothing needs no review.
 * @throws UsageError outside a repository; HostSetupError, HostError.
 */
export async function reviewedDigest(
  runtime: Runtime,
  options: ReviewOptions,
  merged?: PullRequest,
): Promise<string | UsageError> {
  const target = await readReviewTarget(runtime, options);
  const { commit } = target;
  if (commit === undefined)
    throw new UsageError(
      "not-reviewed",
      "--reviewed needs a git repository, with the merged commit checked out.",
    );
  return withCodeHost(runtime, options, async (host) => {
    // What a merge queue made is on its branch as it is.
    const ofQueue = await digestOn(host, commit, target, queued);
    if (ofQueue.digest !== undefined) return ofQueue.digest;
    const known = merged ? [merged] : await host.pullRequestsOf(commit);
    const pulls = known.filter(({ isMerged }) => isMerged);
    const reasons = pulls.length > 0 ? [] : [`The commit ${commit} was not merged through a pull request`];
    for (const pull of pulls) {
      const { digest, isUnsigned } = await digestOn(host, pull.headCommit, target);
      if (digest !== undefined) return digest;
      reasons.push(explain(pull, target, isUnsigned));
    }
    return new UsageError(
      "not-reviewed",
      `${reasons.join(". ")}. Nothing was applied. Look at the plan of this commit (\`avatarops plan\`, or the workflow started by hand without a digest), and apply it with its digest: \`avatarops apply --digest DIGEST\`, or the workflow started by hand with it. docs/team.md says more, under "What was not reviewed".`,
    );
  });
}

/** The digest that a review left on a commit: on the last one of a pull request, or with `queued` on that of a merge queue. */
async function digestOn(
  host: CodeHost,
  headCommit: string,
  { reviewed, sign }: ReviewTarget,
  kind = "",
): Promise<{ readonly digest?: string; readonly isUnsigned: boolean }> {
  const wanted = reviewContext(reviewed);
  let isUnsigned = false;
  for await (const status of host.ownStatuses(headCommit)) {
    if (status.context !== wanted) continue;
    const planned = digestInDescription(status.description);
    if (!planned) break;
    const { digest, signature } = planned;
    if (digest.startsWith(queued) !== (kind === queued)) continue;
    const expected = sign(headCommit, digest);
    if (expected === undefined || signature === expected)
      return { digest: digest.slice(kind.length), isUnsigned };
    // Another job may have set it after the review.
    isUnsigned = true;
  }
  return { isUnsigned };
}

function explain(
  { number, isFromFork }: PullRequest,
  { reviewed }: ReviewTarget,
  isUnsigned: boolean,
): string {
  if (isFromFork)
    return `Pull request #${number} comes from a fork, whose job may set no status: its plan was shown, and compared with no account`;
  const lacks = isUnsigned
    ? "that is signed with AVATAROPS_REVIEW_KEY: the plan job needs the same key"
    : "with a plan";
  return `The last commit of pull request #${number} has no status ${reviewContext(reviewed)} ${lacks}`;
}
