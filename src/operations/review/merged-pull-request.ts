import { UsageError } from "../../base/diagnostics/index.js";
import { GitError } from "../../base/git/index.js";
import { applyCommand, type Plan } from "../../core/engine/index.js";
import {
  type CodeHost,
  digestInDescription,
  HostError,
  HostSetupError,
  type PullRequest,
  readRun,
  reviewContext,
  withoutKey,
} from "../../review/hosts/index.js";
import { type CodeHostOptions, onCodeHost } from "../project/code-host.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ReviewTarget, readReviewTarget } from "./target.js";

/** How the checked-out commit came to its branch. */
export interface MergedChange {
  readonly target: ReviewTarget;
  /** The merged pull request; undefined: it came by none. */
  readonly pull: PullRequest | undefined;
}

/** How a person applies exactly this plan, as a clause; `triesAgain`: there is no job to start. */
export function adviseByHand(plan: Plan, triesAgain = false): string {
  const start = `, or start the workflow with this digest${plan.threshold ? " and `force`" : ""}`;
  return `run ${applyCommand(plan)} on this commit${triesAgain ? "" : start}`;
}

/**
 * The checked-out commit of an `apply --reviewed`, and its pull request.
 *
 * @throws UsageError outside a repository; HostSetupError, HostError.
 */
export async function findReviewedChange(
  runtime: Runtime,
  options: CodeHostOptions = {},
): Promise<MergedChange> {
  const target = await readReviewTarget(runtime, options);
  const { run, commit } = target;
  if (commit === undefined)
    throw new UsageError(
      "not-reviewed",
      "--reviewed needs a git repository, with the merged commit checked out.",
    );
  const [pull] = await onCodeHost(runtime, run.host, (host) =>
    mergedPullRequests(host, commit, target.branch),
  );
  return { target, pull };
}

/** How the commit of a run that does not ask for a review came to its branch; undefined where the code host cannot be asked. */
export async function findMergedChange(
  runtime: Runtime,
  options: CodeHostOptions = {},
): Promise<MergedChange | undefined> {
  const { environment } = runtime.host;
  const { GITHUB_EVENT_NAME: event, CI_PIPELINE_SOURCE: source = event } = environment;
  // It is about no change.
  if (source === "schedule") return undefined;
  try {
    // At a desk, git need not run for this.
    if (options.repo === undefined && !(await readRun(environment, {})).host) return undefined;
    const target = await readReviewTarget(runtime, options);
    const { run, commit } = target;
    if (!run.host || commit === undefined) return undefined;
    const [pull] = await onCodeHost(runtime, run.host, (host) =>
      mergedPullRequests(host, commit, target.branch),
    );
    return { target, pull };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    if (error instanceof HostSetupError) return undefined;
    if (!(error instanceof HostError || error instanceof GitError)) throw error;
    runtime.output.warn(`No pull request gets the outcome: it could not be looked up. ${error.message}`);
    return undefined;
  }
}

/** The pull requests by which a commit came to a branch; to any, if that is unknown. */
export async function mergedPullRequests(
  host: CodeHost,
  commit: string,
  branch: string | undefined,
): Promise<readonly PullRequest[]> {
  return (await host.pullRequestsOf(commit)).filter(
    ({ isMerged, baseBranch }) => isMerged && (branch === undefined || baseBranch === branch),
  );
}

/** Why a status has no plan that counts. */
type ReviewFlaw = "unsigned" | "no-key";

/**
 * Reads the digest that `avatarops review` left in the commit status of the last commit of a pull request. Statuses of others do not
 * count, and with a key only those that are signed with it.
 *
 * @returns `sinceMs`: when a review first found this plan, by the host's clock; absent if the host does not say.
 */
export async function readReviewedDigest(
  host: CodeHost,
  headCommit: string,
  { reviewed, sign }: ReviewTarget,
): Promise<{
  readonly digest?: string;
  readonly sinceMs?: number | undefined;
  readonly flaw?: ReviewFlaw | undefined;
}> {
  const wanted = reviewContext(reviewed);
  let flaw: ReviewFlaw | undefined;
  let found: { readonly digest: string; readonly sinceMs: number | undefined } | undefined;
  for await (const { context, description, atMs } of host.ownStatuses(headCommit)) {
    if (context !== wanted) continue;
    const planned = digestInDescription(description);
    if (!planned && !found && !flaw && description.startsWith(withoutKey)) flaw = "no-key";
    if (!planned || (found && planned.digest !== found.digest)) break;
    const { digest, signature } = planned;
    const expected = sign(headCommit, digest);
    if (expected === undefined || signature === expected) found = { digest, sinceMs: atMs };
    // Another job may have set it after the review.
    else if (!found) flaw = "unsigned";
  }
  return { ...found, flaw };
}

/** Why nothing of a pull request was reviewed, as a clause, and what to change in its job. */
export function explain(
  { number, isFromFork }: PullRequest,
  { reviewed }: ReviewTarget,
  flaw: ReviewFlaw | undefined,
): { readonly why: string; readonly advice?: string } {
  if (isFromFork)
    return { why: `pull request #${number} comes from a fork, whose review is compared with no account` };
  if (flaw === "no-key")
    return {
      why: `the review of pull request #${number} had no API key and was compared with no account`,
      advice: "Give the plan job AVATAROPS_API_KEY.",
    };
  const lacks = `the last commit of pull request #${number} has no status ${reviewContext(reviewed)}`;
  return flaw === undefined
    ? { why: `${lacks} with a plan` }
    : {
        why: `${lacks} that is signed with AVATAROPS_REVIEW_KEY`,
        advice: "Give the plan job the key of this job.",
      };
}
