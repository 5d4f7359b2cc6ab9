import { type Author, type CodeHost, HostError, type PullRequest } from "../../review/hosts/index.js";

/*
 * Only approvals of the last commit count. The approver needs write access, must not have opened the pull request or
 * contributed commits to it, and must not be the user of the job token.
 *
 * One more approval is required if the code host does not show who pushed the commits, because commit authors can be
 * forged, or if a bot opened the pull request, because it may act for the approver.
 */

export interface Approvals {
  readonly counted: readonly Author[];
  /** Approvals that do not count, with the reason: "ben (approved an earlier commit)". */
  readonly others: readonly string[];
  /** Clause that explains why one more approval is required. */
  readonly unsure?: string;
}

/** @param afterMs Only newer approvals count, by the host's clock. */
export async function countApprovals(
  host: CodeHost,
  pull: PullRequest,
  afterMs?: number,
): Promise<Approvals> {
  const approvals = await host.listApprovals(pull);
  if (approvals.length === 0) return { counted: [], others: [] };
  const [own, committers] = [await host.getAuthor(), await host.listCommitters(pull)];
  const pushers = await host.listPushers(pull).catch((error: unknown) => {
    if (error instanceof HostError && ["host-forbidden", "host-not-found"].includes(error.code))
      return undefined;
    throw error;
  });
  const counted: Author[] = [];
  const others: string[] = [];
  for (const { by, coversHead, mayWrite, atMs = Number.NEGATIVE_INFINITY } of approvals) {
    const isApprover = (one: Author | undefined) => one?.id === by.id;
    const flaw =
      (isApprover(own) && "is the account that runs these jobs") ||
      (isApprover(pull.author) && "opened it") ||
      (committers.some(isApprover) && "made one of its commits") ||
      (pushers?.some(isApprover) && "pushed to it") ||
      (!coversHead && "approved an earlier commit") ||
      (!mayWrite && "is not allowed to push to the repository") ||
      (afterMs !== undefined && atMs <= afterMs && "approved before this plan was shown");
    if (flaw) others.push(`${by.login} (${flaw})`);
    else counted.push(by);
  }
  const isByBot = pull.isByBot || pull.author === undefined || pull.author.id === own.id;
  const unsure =
    (pushers === undefined && "because the code host does not show who pushed the pull request's commits") ||
    (isByBot && "because a bot opened the pull request and the code host does not show on whose behalf");
  return { counted, others, ...(unsure && { unsure }) };
}

/** Requires one more approval if the true author or the pushers are unknown, because one approval may be their own. */
export function addApprovalIfUnsure(required: number, { unsure }: Approvals): number {
  return required > 0 && unsure !== undefined ? required + 1 : required;
}
