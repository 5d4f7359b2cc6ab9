import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import { type Change, type Plan, StalePlanError } from "../../core/engine/index.js";
import { digestChanges } from "../../core/kinds/index.js";
import type { RecordedPullRequest } from "../../core/state/index.js";
import type { PullRequest } from "../../review/hosts/index.js";
import { type GateOptions, isAllowed } from "../gates/gates.js";
import { findLaterApply, LaterRunError } from "../gates/later-run.js";
import { findNewerRequiredEnvironment } from "../gates/needs.js";
import { withRepositoryHost } from "../project/code-host.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ApprovalCheck, openApprovalCheck, type Shortfall } from "./approvals.js";
import { findOrigins, recordPullRequests } from "./change-origins.js";
import {
  findPullRequestsOfCommits,
  findPullRequestsSince,
  listCommitsUpTo,
  listUniquePullRequests,
  readLastApply,
} from "./last-apply.js";
import {
  adviseManualApply,
  explainUnreviewed,
  type MergedChange,
  readReviewedDigest,
} from "./merged-pull-request.js";
import { nameObject, readReviewed } from "./reviewed-changes.js";

interface CheckReviewedOptions extends Pick<GateOptions, "allow"> {
  /** Required number of approvals, from the option. */
  readonly needed?: number | undefined;
  /** Whether the run retries automatically, so there is no job to re-run. */
  readonly retriesAutomatically?: boolean | undefined;
  /**
   * Called with the pull requests to report to. After a refusal, these include approved pull requests whose changes
   * have to wait.
   */
  onFound(pulls: readonly PullRequest[]): void;
}

/** Maximum number of reasons and objects in a refusal. */
const maxReasons = 3;

/**
 * Enforces the rule of `apply --reviewed`: each planned change must be identical to the one shown in the review of a
 * pull request's last commit. That pull request must be approved, and merged since the last complete apply. With a
 * review key, only signed reviews count.
 *
 * @param changes Changes that need a review.
 * @returns the pull requests for the record, with the changes that came from each.
 * @throws LaterRunError if no review shows a change because a later commit was applied, or if a later commit was
 * applied to a required environment and its run may apply everything; UsageError `not-reviewed`, `not-approved`;
 * StalePlanError; HostError, HostSetupError.
 */
export function checkReviewed(
  runtime: Runtime,
  project: Project,
  { target, pull: own }: MergedChange,
  plan: Plan,
  changes: readonly Change[],
  { needed, allow, retriesAutomatically, onFound }: CheckReviewedOptions,
): Promise<readonly RecordedPullRequest[]> {
  return withRepositoryHost(runtime, target.run.host, async (host) => {
    const past = await readLastApply(runtime, project);
    const left = new Map(changes.map((change) => [change.address, digestChanges(plan.basis, [change])]));
    const sources = { git: past.git, host, branch: target.branch };
    const byHand = adviseManualApply(plan, retriesAutomatically);
    const options = { given: needed, retriesAutomatically, byHand };
    const { checkApprovals, explainRefusal } = await openApprovalCheck(runtime, project, sources, options);
    const pulls: PullRequest[] = [];
    const approvals = new Map<PullRequest, ApprovalCheck>();
    /** Missing approvals of the pull requests that show a change, by address. */
    const unapproved = new Map<string, readonly [Shortfall, ...Shortfall[]]>();
    const reasons: ReturnType<typeof explainUnreviewed>[] = [];
    let isReviewed = false;
    const areReviewed = async (commits: readonly string[]) => {
      for (const those of (await findPullRequestsOfCommits(host, commits, target.branch)).values()) {
        const checks = those.map(async (pull) => {
          const { digest } = await readReviewedDigest(host, pull.headCommit, target);
          return digest !== undefined && !(await checkApprovals(pull)).shortfall;
        });
        if (!(await Promise.all(checks)).includes(true)) return false;
      }
      return true;
    };
    const merged = await findPullRequestsSince(host, past, project, target.branch);
    const digests = new Map(left);
    /** Latest reviewed digest of each object's change, by address, with the pull requests whose reviews changed it. */
    const shown = new Map<string, { readonly digest: string; readonly pulls: readonly PullRequest[] }>();
    const nothing = digestChanges(plan.basis, []);
    let areListed = true;
    for (const pull of listUniquePullRequests(merged)) {
      const { digest, sinceMs, flaw } = await readReviewedDigest(host, pull.headCommit, target);
      // The list may be truncated or its comment deleted, but the status contains the digest of the whole plan.
      const isWhole = digest === plan.digest;
      const list = isWhole ? undefined : await readReviewed(host, pull.number, target, pull.headCommit);
      const { objects: reviewed, isTruncated = false } = list ?? {};
      const found = [...left].flatMap(([address, change]) =>
        isWhole || reviewed?.get(nameObject(target, address)) === change ? [address] : [],
      );
      if (found.length > 0) pulls.push(pull);
      const { size = 0 } = reviewed ?? {};
      areListed &&= isWhole || digest === nothing || (size > 0 && !isTruncated);
      for (const [address, change] of digests) {
        const seen = isWhole ? change : reviewed?.get(nameObject(target, address));
        const { digest: last, pulls: earlier = [] } = shown.get(address) ?? {};
        if (seen !== undefined && seen !== last)
          shown.set(address, { digest: seen, pulls: [...earlier, pull] });
      }
      // The oldest pull request that shows a change must be approved. If it is not, a later one is enough, but only
      // with approvals given after its review showed the same change.
      for (const [addresses, afterMs] of [
        [found.filter((address) => !unapproved.has(address)), undefined],
        [found.filter((address) => unapproved.has(address)), sinceMs ?? Number.POSITIVE_INFINITY],
      ] as const) {
        if (addresses.length === 0) continue;
        const check = await checkApprovals(pull, afterMs);
        const { shortfall } = check;
        if (!shortfall) approvals.set(pull, check);
        for (const address of addresses) {
          const earlier = unapproved.get(address);
          if (!shortfall) left.delete(address);
          else unapproved.set(address, earlier ? [...earlier, shortfall] : [shortfall]);
        }
      }
      isReviewed ||= digest !== undefined || found.length > 0;
      const review = `the review of pull request #${pull.number}`;
      if (isTruncated) reasons.push({ why: `${review} lists only its first ${size} changes` });
      else if (found.length === 0)
        reasons.push(
          digest === undefined
            ? explainUnreviewed(pull, target, flaw)
            : { why: `${review} shows other changes` },
        );
      if (left.size === 0) break;
    }
    if (left.size > 0) {
      // The run of an earlier pull request may have left its approved change to this run.
      const waiting = [...approvals.keys()].filter(({ number }) => number !== own?.number);
      onFound([...waiting, ...(own ? [own] : [])]);
    }
    const unknown = [...left.keys()].filter((address) => !unapproved.has(address));
    if (unknown.length > 0) {
      const later = await findLaterApply(runtime, project);
      if (later?.isLater) throw new LaterRunError(project.environment ?? "the account", later.commit);
      if (!own && reasons.length === 0)
        reasons.push({ why: `commit ${target.commit} was not merged through a pull request` });
      const advice = reasons.flatMap((reason) => reason.advice ?? []).slice(0, 1);
      const why = listNames(
        reasons.map((reason) => reason.why),
        maxReasons,
      );
      const what = `the change to ${listNames(unknown, maxReasons)} is not in the review of any pull request merged since the last complete apply`;
      const next = [...advice, `Check the plan for this commit, then ${byHand}.`].join(" ");
      throw isReviewed
        ? new StalePlanError([why === "" ? `${what}.` : `${what}, and ${why}.`], next)
        : new UsageError("not-reviewed", `Nothing was applied: ${why}. ${next}`);
    }
    for (const address of left.keys()) {
      const shortfalls = unapproved.get(address);
      if (shortfalls) throw explainRefusal(shortfalls);
    }
    const replacing = isAllowed({ allow }, "needs")
      ? undefined
      : await findNewerRequiredEnvironment(runtime, project, [...digests.keys()]);
    if (replacing) {
      const commits = await listCommitsUpTo(past.git, project, replacing.commit);
      const isApplicable = commits !== undefined && (await areReviewed(commits));
      if (isApplicable) throw new LaterRunError(replacing.environment, replacing.commit);
    }
    const findShown = (address: string) => (areListed ? shown.get(address)?.pulls : undefined);
    const origins = await findOrigins(past, project, merged, [...digests.keys()], findShown);
    const recorded = recordPullRequests(merged, origins, approvals);
    const hasChanges = ({ number }: PullRequest) =>
      recorded.some((one) => one.number === number && (one.changes?.length ?? 0) > 0);
    onFound(listUniquePullRequests(merged).filter((pull) => pulls.includes(pull) || hasChanges(pull)));
    return recorded;
  });
}
