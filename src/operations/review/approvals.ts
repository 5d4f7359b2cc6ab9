import { UsageError } from "../../base/diagnostics/index.js";
import { openRepository } from "../../base/git/index.js";
import { cutText, listNames } from "../../base/text/index.js";
import type { RecordedPullRequest } from "../../core/state/index.js";
import { HostError, type PullRequest } from "../../review/hosts/index.js";
import { findAppliedBranch } from "../project/applied-branch.js";
import { type CodeHostOptions, withCodeHost } from "../project/code-host.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Approvals, addApprovalIfUnsure, countApprovals } from "./count-approvals.js";
import { type ApprovalSources, findRequiredApprovals } from "./required-approvals.js";

/** Approvals of one pull request. */
export interface ApprovalCheck {
  /** Number of required approvals, for the record. */
  readonly required: number;
  /** Approver logins, for the record. Omitted if unknown and no approvals are required. */
  readonly approvers?: string[];
  /** Missing approvals, if any. */
  readonly shortfall?: Shortfall;
}

export interface Shortfall {
  readonly number: number;
  /** Verb phrase about the pull request, such as "has 1 of 2 approvals …". */
  readonly has: string;
  /** Why this number is required. */
  readonly why: string;
}

/** Checks a pull request's approvals. Only approvals newer than `afterMs`, by the host's clock, count. */
type CheckApprovals = (pull: PullRequest, afterMs?: number) => Promise<ApprovalCheck>;

export interface ApprovalRules {
  readonly checkApprovals: CheckApprovals;
  /** Explains a refusal. Names only the first and the latest pull request that contain the change. */
  explainRefusal(shortfalls: readonly [Shortfall, ...Shortfall[]]): UsageError;
}

/**
 * Prepares the approval checks for pull requests.
 *
 * @param given Number from `--require-approval`.
 * @param byHand Clause that explains how a person applies the plan.
 * @param retriesAutomatically Whether the run retries automatically.
 * @throws errors of {@link findRequiredApprovals}
 */
export async function openApprovalCheck(
  runtime: Runtime,
  project: Project,
  sources: ApprovalSources,
  {
    given,
    byHand,
    retriesAutomatically = false,
  }: {
    readonly given: number | undefined;
    readonly byHand: string;
    readonly retriesAutomatically: boolean | undefined;
  },
): Promise<ApprovalRules> {
  const { required, why } = await findRequiredApprovals(runtime, project, sources, given);
  const again = retriesAutomatically ? "" : " and run the job again";
  const next = `get the next pull request approved (its review also shows this change), or ${byHand}.`;
  const advice =
    sources.host.name === "gitea"
      ? `This host does not accept approvals after a merge, so ${next}`
      : `Have others approve the pull request${again}, if the host accepts approvals after a merge, or ${next}`;
  const checkApprovals: CheckApprovals = async (pull, afterMs) => {
    try {
      const found = await countApprovals(sources.host, pull, afterMs);
      const all = addApprovalIfUnsure(required, found);
      if (found.counted.length < all)
        return { required, shortfall: describeShortfall(pull, found, all, why) };
      return { required, approvers: found.counted.map(({ login }) => shortenLogin(login)) };
    } catch (error) {
      // Approvals that are not required are only recorded, so they may be missing.
      if (!(error instanceof HostError) || required > 0 || runtime.signal.aborted) throw error;
      return { required };
    }
  };
  return {
    checkApprovals,
    explainRefusal([first, ...later]) {
      const last = later.at(-1);
      const also = last ? `. Pull request #${last.number}, which also shows the change, ${last.has}` : "";
      const what = `pull request #${first.number} ${first.has}${also}`;
      return new UsageError("not-approved", `Nothing was applied: ${what}. ${first.why}. ${advice}`);
    },
  };
}

/** Returns whether an apply requires approvals. @throws errors of {@link findRequiredApprovals} */
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

/** Returns a pull request for the record, without its approvals. */
export function toRecordedPullRequest({ number, url, author }: PullRequest): RecordedPullRequest {
  return { number, url, author: author && shortenLogin(author.login) };
}

function shortenLogin(login: string): string {
  return cutText(login, 200);
}

function describeShortfall(
  { number, headCommit }: PullRequest,
  { counted, others, unsure }: Approvals,
  needed: number,
  why: string,
): Shortfall {
  const names = counted.map(({ login }) => login);
  const by = names.length > 0 ? `, by ${listNames(names)}` : "";
  const not = others.length > 0 ? `, not counting ${others.join(", ")}` : "";
  const more = unsure === undefined ? "" : `, and one more is needed ${unsure}`;
  return {
    number,
    has: `has ${names.length} of ${needed} approvals for its last commit ${headCommit.slice(0, 10)}${by}${not}`,
    why: `${why}${more}`,
  };
}
