import { UsageError } from "../../base/diagnostics/index.js";
import { GitError } from "../../base/git/index.js";
import { formatApplyCommand, type Plan } from "../../core/engine/index.js";
import {
  type CodeHost,
  formatReviewContext,
  HostError,
  HostSetupError,
  noKeyPrefix,
  type PullRequest,
  parseReviewDescription,
  readRun,
} from "../../review/hosts/index.js";
import { type CodeHostOptions, withRepositoryHost } from "../project/code-host.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ReviewTarget, readReviewTarget } from "./target.js";

/** The checked-out commit with its pull request. */
export interface MergedChange {
  readonly target: ReviewTarget;
  /** The merged pull request, or undefined if the commit was pushed directly. */
  readonly pull: PullRequest | undefined;
}

/**
 * Returns a clause that explains how to apply exactly this plan by hand. Does not mention the workflow if
 * `retriesAutomatically`, because `sync` runs without a job.
 */
export function adviseManualApply(plan: Plan, retriesAutomatically = false): string {
  const start = `, or start the workflow with this digest${plan.threshold ? " and `allow: threshold`" : ""}`;
  return `run ${formatApplyCommand(plan)} on this commit${retriesAutomatically ? "" : start}`;
}

/**
 * Finds the checked-out commit and its pull request, for `apply --reviewed`.
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
  const [pull] = await withRepositoryHost(runtime, run.host, (host) =>
    listMergedPullRequests(host, commit, target.branch),
  );
  return { target, pull };
}

/** Finds the pull request of a run without `--reviewed`, or returns undefined if the code host cannot be reached. */
export async function findMergedChange(
  runtime: Runtime,
  options: CodeHostOptions = {},
): Promise<MergedChange | undefined> {
  const { environment } = runtime.host;
  const { GITHUB_EVENT_NAME: event, CI_PIPELINE_SOURCE: source = event } = environment;
  // A scheduled run does not belong to a change.
  if (source === "schedule") return undefined;
  try {
    // Skips git on a laptop.
    if (options.repo === undefined && !(await readRun(environment, {})).host) return undefined;
    const target = await readReviewTarget(runtime, options);
    const { run, commit } = target;
    if (!run.host || commit === undefined) return undefined;
    const [pull] = await withRepositoryHost(runtime, run.host, (host) =>
      listMergedPullRequests(host, commit, target.branch),
    );
    return { target, pull };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    if (error instanceof HostSetupError) return undefined;
    if (!(error instanceof HostError || error instanceof GitError)) throw error;
    runtime.output.warn(
      `The pull request could not be looked up, so the outcome is not posted. ${error.message}`,
    );
    return undefined;
  }
}

/** Finds the pull requests that merged a commit into a branch, or into any branch if `branch` is undefined. */
export async function listMergedPullRequests(
  host: CodeHost,
  commit: string,
  branch: string | undefined,
): Promise<readonly PullRequest[]> {
  return (await host.listPullRequestsForCommit(commit)).filter(
    ({ isMerged, baseBranch }) => isMerged && (branch === undefined || baseBranch === branch),
  );
}

/** Why a review status is ignored. */
type ReviewFlaw = "unsigned" | "no-key";

/**
 * Reads the digest that `avatarops review` set in the status of a pull request's last commit. Statuses by other users
 * do not count. With a review key, only signed statuses count.
 *
 * @returns `sinceMs`: time of the first review with this plan, by the host's clock, if known.
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
  const wanted = formatReviewContext(reviewed);
  let flaw: ReviewFlaw | undefined;
  let found: { readonly digest: string; readonly sinceMs: number | undefined } | undefined;
  for await (const { context, description, atMs } of host.listOwnStatuses(headCommit)) {
    if (context !== wanted) continue;
    const planned = parseReviewDescription(description);
    if (!planned && !found && !flaw && description.startsWith(noKeyPrefix)) flaw = "no-key";
    if (!planned || (found && planned.digest !== found.digest)) break;
    const { digest, signature } = planned;
    const expected = sign(headCommit, digest);
    if (expected === undefined || signature === expected) found = { digest, sinceMs: atMs };
    // The unsigned status may come from another job that ran after the review.
    else if (!found) flaw = "unsigned";
  }
  return { ...found, flaw };
}

/** Returns why a pull request has no valid review, as a clause, and advice on how to change its job. */
export function explainUnreviewed(
  { number, isFromFork }: PullRequest,
  { reviewed }: ReviewTarget,
  flaw: ReviewFlaw | undefined,
): { readonly why: string; readonly advice?: string } {
  if (isFromFork)
    return {
      why: `pull request #${number} comes from a fork, so its review was not compared with the account`,
    };
  if (flaw === "no-key")
    return {
      why: `the review of pull request #${number} had no API key and was not compared with the account`,
      advice: "Set AVATAROPS_API_KEY in the plan job.",
    };
  const lacks = `the last commit of pull request #${number} has no status ${formatReviewContext(reviewed)}`;
  return flaw === undefined
    ? { why: `${lacks} with a plan` }
    : {
        why: `${lacks} that is signed with AVATAROPS_REVIEW_KEY`,
        advice: "Set the same AVATAROPS_REVIEW_KEY in the plan job and in this job.",
      };
}
