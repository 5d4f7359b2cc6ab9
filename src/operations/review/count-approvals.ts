import { type Author, type CodeHost, HostError, type PullRequest } from "../../review/hosts/index.js";

/*
 * An approval counts if it is for the last commit of the pull request, from a person with write access who neither opened it, nor
 * authored or pushed one of its commits, nor owns the token of these jobs. Commit authors can be forged, and a bot may act for the
 * approver. So if the host does not know who pushed, or a bot opened it, one more approval is required.
 */

export interface Approvals {
  readonly counted: readonly Author[];
  /** Other approvals with the reason: "ben (approved an earlier commit)". */
  readonly others: readonly string[];
  /** Clause explaining why one more is required. */
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
    const is = (one: Author | undefined) => one?.id === by.id;
    const flaw =
      (is(own) && "is the account of these jobs") ||
      (is(pull.author) && "opened it") ||
      (committers.some(is) && "made one of its commits") ||
      (pushers?.some(is) && "pushed to it") ||
      (!coversHead && "approved an earlier commit") ||
      (!mayWrite && "may not push to the repository") ||
      (afterMs !== undefined && atMs <= afterMs && "approved before this plan was shown");
    if (flaw) others.push(`${by.login} (${flaw})`);
    else counted.push(by);
  }
  const isByBot = pull.isByBot || pull.author === undefined || pull.author.id === own.id;
  const unsure =
    (pushers === undefined && "since the code host cannot say who pushed its commits") ||
    (isByBot && "since a bot opened it, and the code host does not say for whom");
  return { counted, others, ...(unsure && { unsure }) };
}

/** Returns the number of approvals that a pull request needs. */
export function calculateRequired(required: number, { unsure }: Approvals): number {
  return required > 0 && unsure !== undefined ? required + 1 : required;
}
