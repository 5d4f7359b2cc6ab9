import { UsageError } from "../../base/diagnostics/index.js";
import { openRepository } from "../../base/git/index.js";
import { cutText, listed } from "../../base/text/index.js";
import type { RecordedPullRequest } from "../../core/state/index.js";
import { type Author, HostError, type PullRequest } from "../../review/hosts/index.js";
import { type CodeHostOptions, withCodeHost } from "../project/code-host.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { findAppliedBranch } from "./applied-branch.js";
import { type Approvals, countApprovals, requiredOf } from "./count-approvals.js";
import { applyByHand } from "./merged-pull-request.js";
import { type ApprovalSources, findRequiredApprovals } from "./required-approvals.js";

/**
 * Checks that enough people have approved each of these pull requests.
 *
 * @param given Number of the option.
 * @returns how many were needed, and who approved the last of them, for the record.
 * @throws UsageError `not-approved`
 */
export async function checkApprovals(
  runtime: Runtime,
  project: Project,
  { pulls, ...sources }: ApprovalSources & { readonly pulls: readonly PullRequest[] },
  given: number | undefined,
): Promise<{ readonly required: number; readonly approvers?: string[] }> {
  const { required, why } = await findRequiredApprovals(runtime, project, sources, given);
  let counted: readonly Author[] = [];
  for (const pull of pulls) {
    try {
      const found = await countApprovals(sources.host, pull);
      const all = requiredOf(required, found);
      if (found.counted.length < all) throw notApproved(pull, found, all, why);
      counted = found.counted;
    } catch (error) {
      // If nobody must approve, approvals are only for the record.
      if (!(error instanceof HostError) || required > 0 || runtime.signal.aborted) throw error;
      return { required };
    }
  }
  return { required, approvers: counted.map(({ login }) => short(login)) };
}

/** Whether approvals are needed for what is applied. @throws as {@link checkApprovals} */
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
  why: string,
): UsageError {
  const names = counted.map(({ login }) => login);
  const by = names.length > 0 ? `, by ${listed(names)}` : "";
  const not = others.length > 0 ? ` Not counted: ${others.join(", ")}.` : "";
  const more = unsure === undefined ? "" : ` One more is needed than that, ${unsure}.`;
  return new UsageError(
    "not-approved",
    `Pull request #${number} has ${names.length} of ${needed} approvals of its last commit ${headCommit.slice(0, 10)}${by}.${not} ${why}${more} Nothing was applied. Have others approve it, if the code host takes approvals after the merge, and run the job again. ${applyByHand}`,
  );
}
