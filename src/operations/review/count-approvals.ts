import { type Author, type CodeHost, HostError, type PullRequest } from "../../review/hosts/index.js";

/*
 * An approval counts if it was given for the last commit of the pull request, by a person with write access who neither opened the pull
 * request, nor made or pushed one of its commits, nor is the account of these jobs. Anyone can write another person's address into a
 * commit, and a bot may act for the person who approves. If the host cannot say who pushed, or a bot opened it, one more has to approve.
 */

export interface Approvals {
  readonly counted: readonly Author[];
  /** Why others do not count: "ben (approved an earlier commit)". */
  readonly others: readonly string[];
  /** Why one more is needed, as a clause. */
  readonly unsure?: string;
}

/** @param afterMs Approvals that are not newer do not count; the host's clock. */
export async function countApprovals(
  host: CodeHost,
  pull: PullRequest,
  afterMs?: number,
): Promise<Approvals> {
  const approvals = await host.approvals(pull);
  if (approvals.length === 0) return { counted: [], others: [] };
  const [own, committers] = [await host.author(), await host.committers(pull)];
  const pushers = await host.pushers(pull).catch((error: unknown) => {
    if (error instanceof HostError && ["host-forbidden", "host-not-found"].includes(error.code))
      return undefined;
    throw error;
  });
  const counted: Author[] = [];
  const others: string[] = [];
  for (const { by, isOfHead, mayWrite, atMs = Number.NEGATIVE_INFINITY } of approvals) {
    const is = (one: Author | undefined) => one?.id === by.id;
    const flaw =
      (is(own) && "is the account of these jobs") ||
      (is(pull.author) && "opened it") ||
      (committers.some(is) && "made one of its commits") ||
      (pushers?.some(is) && "pushed to it") ||
      (!isOfHead && "approved an earlier commit") ||
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

/** Approvals that a pull request needs. */
export function requiredOf(required: number, { unsure }: Approvals): number {
  return required > 0 && unsure !== undefined ? required + 1 : required;
}
