import { UsageError } from "../../base/diagnostics/index.js";
import {
  type CodeHost,
  digestInDescription,
  HostError,
  HostSetupError,
  type PullRequest,
  queued,
  readRun,
  reviewContext,
} from "../../review/hosts/index.js";
import { onCodeHost, withCodeHost } from "../code-host.js";
import type { Runtime } from "../runtime.js";
import { type ReviewOptions, type ReviewTarget, readReviewTarget } from "./target.js";

/** How the checked-out commit came to its branch. */
export interface MergedChange {
  readonly target: ReviewTarget;
  /** The merged pull request, the one with a reviewed plan if there are several; undefined: it came by none. */
  readonly pull: PullRequest | undefined;
}

/** The same, with the plan that was reviewed. */
export interface ReviewedChange extends MergedChange {
  /** Its digest; or why there is none: a plan that does nothing needs no review. */
  readonly digest: string | UsageError;
  /** The plan may be of several pull requests: a merge queue made the commit, or somebody named the digest. */
  readonly isCombined?: boolean;
}

/** What to do about a change that nobody may apply just so. */
export const applyByHand =
  'Look at the plan of this commit (`avatarops plan`, or the workflow started by hand without a digest), and apply it with its digest: `avatarops apply --digest DIGEST`, or the workflow started by hand with it. docs/team.md says more, under "What was not reviewed".';

/**
 * Finds the plan that was reviewed: its digest is in the commit status which `avatarops review` set on the head of the pull request by
 * which the checked-out commit came to its branch. Statuses of others do not count, and with a key only those that are signed with it.
 *
 * @param merged the pull request, where it is known.
 * @throws UsageError outside a repository; HostSetupError, HostError.
 */
export async function findReviewedChange(
  runtime: Runtime,
  options: ReviewOptions,
  merged?: PullRequest,
): Promise<ReviewedChange> {
  const target = await readReviewTarget(runtime, options);
  const { commit } = target;
  if (commit === undefined)
    throw new UsageError(
      "not-reviewed",
      "--reviewed needs a git repository, with the merged commit checked out.",
    );
  return withCodeHost(runtime, options, async (host) => {
    const pulls = merged?.isMerged ? [merged] : await mergedPullRequests(host, commit);
    // What a merge queue made is on its branch as it is.
    const ofQueue = await digestOn(host, commit, target, queued);
    if (ofQueue.digest !== undefined)
      return { target, pull: pulls[0], digest: ofQueue.digest, isCombined: true };
    const reasons = pulls.length > 0 ? [] : [`The commit ${commit} was not merged through a pull request`];
    for (const pull of pulls) {
      const { digest, isUnsigned } = await digestOn(host, pull.headCommit, target);
      if (digest !== undefined) return { target, pull, digest };
      reasons.push(explain(pull, target, isUnsigned));
    }
    const why = `${reasons.join(". ")}. Nothing was applied. ${applyByHand}`;
    return { target, pull: pulls[0], digest: new UsageError("not-reviewed", why) };
  });
}

/** The merged pull request of a job that does not ask for a review; undefined where none is found, or nobody can be asked. */
export async function findMergedChange(runtime: Runtime): Promise<MergedChange | undefined> {
  const { environment } = runtime.host;
  const { GITHUB_EVENT_NAME: event, CI_PIPELINE_SOURCE: source = event } = environment;
  // It is about no change.
  if (source === "schedule") return undefined;
  try {
    // At a desk, git need not run for this.
    if (!(await readRun(environment, {})).host) return undefined;
    const target = await readReviewTarget(runtime, {});
    const { run, commit } = target;
    if (!run.host || commit === undefined) return undefined;
    const [pull] = await onCodeHost(runtime, run.host, (host) => mergedPullRequests(host, commit));
    return pull && { target, pull };
  } catch (error) {
    if (!(error instanceof HostError || error instanceof HostSetupError) || runtime.signal.aborted)
      throw error;
    return undefined;
  }
}

export async function mergedPullRequests(host: CodeHost, commit: string): Promise<readonly PullRequest[]> {
  return (await host.pullRequestsOf(commit)).filter(({ isMerged }) => isMerged);
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
