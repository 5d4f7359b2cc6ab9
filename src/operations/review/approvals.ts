import { UsageError } from "../../base/diagnostics/index.js";
import { openRepository } from "../../base/git/index.js";
import { cutText, listed } from "../../base/text/index.js";
import type { RecordedPullRequest } from "../../core/state/index.js";
import { HostError, type PullRequest } from "../../review/hosts/index.js";
import { findAppliedBranch } from "../project/applied-branch.js";
import { type CodeHostOptions, withCodeHost } from "../project/code-host.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Approvals, countApprovals, requiredOf } from "./count-approvals.js";
import { type ApprovalSources, findRequiredApprovals } from "./required-approvals.js";

/** The approvals of one pull request. */
export interface ApprovalCheck {
  /** Number of approvals that are needed; for the record. */
  readonly required: number;
  /** Logins of those who approved; for the record. Absent if the host does not say and none are needed. */
  readonly approvers?: string[];
  /** Why they are too few. */
  readonly refusal?: UsageError;
}

/** Checks the approvals of a pull request. Those that are not newer than `afterMs`, by the host's clock, do not count. */
export type CheckApprovals = (pull: PullRequest, afterMs?: number) => Promise<ApprovalCheck>;

/**
 * Finds how many approvals a pull request needs.
 *
 * @param given Number of the option.
 * @param byHand How a person applies the plan, as a clause.
 * @param triesAgain The run tries again by itself.
 * @throws as {@link findRequiredApprovals}
 */
export async function openApprovalCheck(
  runtime: Runtime,
  project: Project,
  sources: ApprovalSources,
  {
    given,
    byHand,
    triesAgain = false,
  }: {
    readonly given: number | undefined;
    readonly byHand: string;
    readonly triesAgain: boolean | undefined;
  },
): Promise<CheckApprovals> {
  const { required, why } = await findRequiredApprovals(runtime, project, sources, given);
  const again = triesAgain ? "" : " and run the job again";
  const next = `get the next pull request approved, whose review shows this change, or ${byHand}.`;
  const advice =
    sources.host.name === "gitea"
      ? `This host takes no approvals after a merge, so ${next}`
      : `Have others approve it${again}, if the host takes approvals after a merge, or ${next}`;
  return async (pull, afterMs) => {
    try {
      const found = await countApprovals(sources.host, pull, afterMs);
      const all = requiredOf(required, found);
      if (found.counted.length < all)
        return { required, refusal: notApproved(pull, found, all, [why, advice]) };
      return { required, approvers: found.counted.map(({ login }) => short(login)) };
    } catch (error) {
      // If none are needed, approvals are only for the record.
      if (!(error instanceof HostError) || required > 0 || runtime.signal.aborted) throw error;
      return { required };
    }
  };
}

/** Whether approvals are needed for what is applied. @throws as {@link findRequiredApprovals} */
export async function needsApproval(
  runtime: Runtime,
  project: Project,
  codeHost: CodeHostOptions,
): Promise<boolean> {
  if (project.reviews.requireApproval > 0) return true;
  const { host, signal } = runtime;
  const git = await openRepository({ folder: project.root, environment: host.environment, signal });
  const branch = await findAppliedBranch(runtime, git, codeHost.branch);
  return withCodeHost(runtime, codeHost, async (host) => {
    return (await findRequiredApprovals(runtime, project, { git, host, branch }, undefined)).required > 0;
  });
}

/** What a record says of a pull request without its approvals. */
export function recordedPullRequest({ number, url, author }: PullRequest): RecordedPullRequest {
  return { number, url, author: author && short(author.login) };
}

/** The host's own names are shorter. */
function short(login: string): string {
  return cutText(login, 200);
}

function notApproved(
  { number, headCommit }: PullRequest,
  { counted, others, unsure }: Approvals,
  needed: number,
  [why, advice]: readonly [string, string],
): UsageError {
  const names = counted.map(({ login }) => login);
  const by = names.length > 0 ? `, by ${listed(names)}` : "";
  const not = others.length > 0 ? `; not counted: ${others.join(", ")}` : "";
  const more = unsure === undefined ? "" : `, and one more is needed ${unsure}`;
  return new UsageError(
    "not-approved",
    `Nothing was applied: pull request #${number} has ${names.length} of ${needed} approvals of its last commit ${headCommit.slice(0, 10)}${by}${not}. ${why}${more}. ${advice}`,
  );
}
