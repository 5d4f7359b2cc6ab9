import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  commitNamed,
  fetchQuietly,
  ignoreGitFailure,
  isShallow,
  type Repository,
} from "../../base/git/index.js";
import { listed } from "../../base/text/index.js";
import { type CommittedProject, loadCommitted } from "../../core/history/index.js";
import type { Definitions, RecordedPullRequest } from "../../core/state/index.js";
import { type Author, type CodeHost, HostError, type PullRequest } from "../../review/hosts/index.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { type LastApply, readLastApply } from "./last-apply.js";
import { applyByHand } from "./merged-pull-request.js";

/*
 * Whether enough people have approved what is applied. An approval counts if it was given for the last commit of the pull request, by
 * somebody who may write, and neither opened the pull request, nor made or pushed one of its commits, nor is the account of these jobs.
 * Anybody can write the address of somebody else into a commit: where the host cannot say who pushed them, one more has to approve.
 *
 * How many are needed, a change cannot lower for itself: the number is the largest of those that the option, the files, the commit
 * before them and the commit that was applied last have. The last one counts because a change of the number alone applies nothing.
 */

/**
 * Throws unless enough people have approved each of these pull requests.
 *
 * @param given how many the command asks for.
 * @returns how many were needed, and who approved the last of them, for the record.
 */
export async function checkApprovals(
  runtime: Runtime,
  project: Project,
  {
    host,
    past,
    pulls,
  }: { readonly host: CodeHost; readonly past: LastApply; readonly pulls: readonly PullRequest[] },
  given: number | undefined,
): Promise<{ readonly required: number; readonly approvers?: string[] }> {
  const { needed, why } = await approvalsNeeded(runtime, project, past, given);
  let counted: readonly Author[] = [];
  for (const pull of pulls) {
    try {
      const found = await countApprovals(host, pull);
      const all = needed > 0 && found.isUnsure ? needed + 1 : needed;
      if (found.counted.length < all) throw notApproved(pull, found, all, why);
      counted = found.counted;
    } catch (error) {
      // Where nobody must approve, they are only for the record.
      if (!(error instanceof HostError) || needed > 0 || runtime.signal.aborted) throw error;
      return { required: needed };
    }
  }
  return { required: needed, approvers: counted.map(({ login }) => short(login)) };
}

/** Whether somebody has to approve what is applied, as the files and earlier commits say. @throws as {@link checkApprovals} */
export async function needsApproval(runtime: Runtime, project: Project): Promise<boolean> {
  return (
    (await approvalsNeeded(runtime, project, await readLastApply(runtime, project), undefined)).needed > 0
  );
}

/** What a record says of a pull request without its approvals. */
export function recordedPullRequest({ number, url, author }: PullRequest): RecordedPullRequest {
  return { number, url, author: author && short(author.login) };
}

/** The host's own names are shorter. */
function short(login: string): string {
  return login.slice(0, 200);
}

interface Approvals {
  readonly counted: readonly Author[];
  /** Why others do not count: "ben (approved an earlier commit)". */
  readonly others: readonly string[];
  /** The host cannot say who pushed its commits. */
  readonly isUnsure: boolean;
}

async function countApprovals(host: CodeHost, pull: PullRequest): Promise<Approvals> {
  const approvals = await host.approvals(pull);
  if (approvals.length === 0) return { counted: [], others: [], isUnsure: false };
  const [own, committers] = [await host.author(), await host.committers(pull)];
  const pushers = await host.pushers(pull).catch((error: unknown) => {
    if (error instanceof HostError && ["host-forbidden", "host-not-found"].includes(error.code))
      return undefined;
    throw error;
  });
  const counted: Author[] = [];
  const others: string[] = [];
  for (const { by, isOfHead, mayWrite } of approvals) {
    const is = (one: Author | undefined) => one?.id === by.id;
    const flaw =
      (is(own) && "is the account of these jobs") ||
      (is(pull.author) && "opened it") ||
      (committers.some(is) && "made one of its commits") ||
      (pushers?.some(is) && "pushed to it") ||
      (!isOfHead && "approved an earlier commit") ||
      (!mayWrite && "may not push to the repository");
    if (flaw) others.push(`${by.login} (${flaw})`);
    else counted.push(by);
  }
  return { counted, others, isUnsure: pushers === undefined };
}

function notApproved(
  { number, headCommit }: PullRequest,
  { counted, others, isUnsure }: Approvals,
  needed: number,
  why: string,
): UsageError {
  const names = counted.map(({ login }) => login);
  const by = names.length > 0 ? `, by ${listed(names)}` : "";
  const not = others.length > 0 ? ` Not counted: ${others.join(", ")}.` : "";
  const more = isUnsure
    ? " One more is needed than that, since the code host cannot say who pushed its commits."
    : "";
  return new UsageError(
    "not-approved",
    `Pull request #${number} has ${names.length} of ${needed} approvals of its last commit ${headCommit.slice(0, 10)}${by}.${not} ${why}${more} Nothing was applied. Have others approve it, if the code host takes approvals after the merge, and run the job again. ${applyByHand}`,
  );
}

/** How many must approve, and who says so, as a sentence. */
async function approvalsNeeded(
  runtime: Runtime,
  { reviews, environment, file }: Project,
  { git, last }: LastApply,
  given: number | undefined,
): Promise<{ readonly needed: number; readonly why: string }> {
  const numbers = [
    { needed: reviews.requireApproval, why: "`reviews.require_approval` says how many are needed." },
    { needed: given ?? 0, why: "--require-approval says how many are needed." },
  ];
  await fetchIfShallow(git, "HEAD^1", { wanted: await git.head(), depth: 2 });
  const parent = await commitNamed(git, "HEAD^1");
  const before = parent && { commit: parent, folder: git.prefix, file };
  for (const definitions of [last?.definitions, before]) {
    if (!definitions) continue;
    const commit = `commit ${definitions.commit.slice(0, 10)}`;
    const recorded = definitions === before ? undefined : last?.pullRequest?.required;
    const read = await approvalsNeededAt(git, environment, definitions);
    const needed = typeof read === "number" ? read : (recorded ?? read);
    const source = needed === read ? "`reviews.require_approval`" : "The record";
    if (typeof needed === "number")
      numbers.push({ needed, why: `${source} of ${commit} says how many are needed.` });
    else if (given === undefined && needed === "unreadable")
      throw new UsageError(
        "not-approved",
        `How many approvals ${commit} requires cannot be read: its manifest has errors, or is in TypeScript, which is not run for an old commit. Say how many with --require-approval.`,
      );
    else if (given === undefined)
      runtime.output.warn(
        `How many approvals ${commit} requires is unknown, because it is not in this clone: check out the whole history (\`fetch-depth: 0\`), or say how many with --require-approval.`,
      );
  }
  return numbers.reduce((most, one) => (one.needed > most.needed ? one : most));
}

/** How many approvals the manifest of a commit asks for; undefined if the commit is not in this clone. */
async function approvalsNeededAt(
  git: Repository,
  chosen: string | undefined,
  { commit, folder, file }: Pick<Definitions, "commit" | "folder" | "file">,
): Promise<number | "unreadable" | undefined> {
  await fetchIfShallow(git, commit);
  // An environment may be new.
  for (const environment of new Set([chosen, undefined])) {
    const at = { commit, folder, file, environment };
    const found = await loadCommitted(git, at);
    if (!found) return undefined;
    if (found.manifest) return found.manifest.reviews.requireApproval;
    if (environment === undefined) return mentionsApprovals(found, file) ? "unreadable" : 0;
  }
  return 0;
}

function mentionsApprovals({ tree, root }: CommittedProject, file: string): boolean {
  try {
    const text = Buffer.from(tree.readFile(path.join(root, file))).toString("utf8");
    return /require_?approval/i.test(text);
  } catch {
    // There was no such file.
    return false;
  }
}

/** A clone of one commit lacks those before it. */
async function fetchIfShallow(
  git: Repository,
  commit: string,
  { wanted = commit, depth = 1 } = {},
): Promise<void> {
  if ((await commitNamed(git, commit)) !== undefined || !(await isShallow(git))) return;
  // If that fails, it is not known.
  await fetchQuietly(git, "origin", [wanted], [`--depth=${depth}`]).catch(ignoreGitFailure);
}
