import { UsageError } from "../../base/diagnostics/index.js";
import { openRepository } from "../../base/git/index.js";
import { listNames } from "../../base/text/index.js";
import type { Change } from "../../core/engine/index.js";
import { type Author, type CodeHost, isBotLogin, type PullRequest } from "../../review/hosts/index.js";
import { readRunBranch } from "../project/applied-branch.js";
import { withCodeHost } from "../project/code-host.js";
import { findActor } from "../runtime/actor.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { findChangeCommits } from "./change-commits.js";
import { findPullRequestsOfCommits, listUniquePullRequests, maxCommits } from "./last-apply.js";
import { findRequiredApprovals, isApprovalRequired, withReadableHistory } from "./required-approvals.js";

/**
 * Checks that a job may apply a plan by its digest. The person who started the job counts as one approval, unless that
 * person wrote or pushed one of the changes, or a bot opened its pull request.
 *
 * @throws UsageError `not-approved`, also if the history cannot be read; HostError, HostSetupError if the code host
 * cannot be reached.
 */
export async function assertStarterApproves(
  runtime: Runtime,
  project: Project,
  changes: readonly Change[],
): Promise<void> {
  const { ci, user } = findActor(runtime.host);
  // On a laptop, the user has the API key and could bypass the check.
  if (ci === undefined) return;
  await withReadableHistory(runtime, async () => {
    if (await isApprovalRequired(runtime, project)) await assertApproves(runtime, project, changes, user);
  });
}

async function assertApproves(
  runtime: Runtime,
  project: Project,
  changes: readonly Change[],
  user: string | undefined,
): Promise<void> {
  const { host, signal } = runtime;
  const git = await openRepository({ folder: project.root, environment: host.environment, signal });
  const branch = await readRunBranch(runtime, git);
  await withCodeHost(runtime, {}, async (host) => {
    const sources = { git, host, branch };
    const { required, why } = await findRequiredApprovals(runtime, project, sources, undefined);
    if (required === 0) return;
    if (required > 1)
      throw createNotApprovedError(
        `the person who started this job counts as only one of ${required} required approvals`,
        why,
      );
    const commits = await findChangeCommits(changes, git, project);
    if (!commits)
      throw createNotApprovedError(
        `one of the changes is older than the newest ${maxCommits} commits, so its author is unknown`,
        why,
      );
    const merged = await findPullRequestsOfCommits(host, commits, branch);
    const unknown = commits.filter((commit) => merged.get(commit)?.length === 0);
    if (user === undefined)
      throw createNotApprovedError(
        "starting the job does not count as an approval, because CI does not show who started it",
        why,
      );
    if (isBotLogin(user) || isSameLogin(await host.getAuthor(), user))
      throw createNotApprovedError(
        `starting the job as ${user} does not count as an approval, because that account is not a person`,
        why,
        true,
      );
    if (unknown.length > 0)
      throw createNotApprovedError(
        `starting the job as ${user} does not count as an approval, because it is unknown who wrote ${listNames(
          unknown.map((commit) => commit.slice(0, 10)),
          3,
        )} (merged without a pull request)`,
        why,
      );
    const flaw = await findOwnChange(host, listUniquePullRequests(merged), user);
    if (flaw)
      throw createNotApprovedError(
        `starting the job as ${user} does not count as an approval, because ${flaw.why}`,
        why,
        flaw.isOwn,
      );
  });
}

/**
 * Finds the first pull request that the person wrote or pushed, or may have written or pushed. Describes the problem in
 * a clause.
 */
async function findOwnChange(
  host: CodeHost,
  pulls: readonly PullRequest[],
  user: string,
): Promise<{ readonly why: string; readonly isOwn: boolean } | undefined> {
  const own = await host.getAuthor();
  for (const pull of pulls) {
    if (pull.isByBot || pull.author === undefined || pull.author.id === own.id)
      return {
        why: `a bot opened pull request #${pull.number}, perhaps for the person who started the job`,
        isOwn: false,
      };
    const pushers = await host.listPushers(pull);
    if (pushers === undefined)
      return { why: `the code host does not show who pushed pull request #${pull.number}`, isOwn: false };
    const people = [pull.author, ...pushers, ...(await host.listCommitters(pull))];
    if (people.some((one) => isSameLogin(one, user)))
      return { why: `they wrote or pushed pull request #${pull.number}`, isOwn: true };
  }
  return undefined;
}

const isSameLogin = (one: Author | undefined, login: string) =>
  one?.login.toLowerCase() === login.toLowerCase();

/** @param isPersonal Whether the job would be approved if someone else started it. */
function createNotApprovedError(flaw: string, why: string, isPersonal = false): UsageError {
  const other = isPersonal ? "Ask someone else to start the job, or run" : "Run";
  return new UsageError(
    "not-approved",
    `Nothing was applied: ${flaw}. ${why}. ${other} \`avatarops apply --reviewed\` once a pull request that shows this change has enough approvals.`,
  );
}
