import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { GitError, isAncestor, openRepository, type Repository } from "../../base/git/index.js";
import { type RunFacts, readRun } from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { withRepositoryHost } from "./code-host.js";

/** Returns whether this is a CI job of a supported code host, and the environment contains its commit. */
function isHostedJob({ host: { environment } }: Runtime): boolean {
  const isOfHost =
    environment.GITLAB_CI ||
    environment.GITHUB_ACTIONS ||
    environment.GITEA_ACTIONS ||
    environment.FORGEJO_ACTIONS;
  return Boolean(
    isOfHost && (environment.CI_COMMIT_SHA || environment.GITHUB_SHA || environment.GITHUB_EVENT_PATH),
  );
}

/**
 * Rejects a CI job that must not write, because its checkout may be from a fork. Call this before opening a project,
 * because its files may run code.
 *
 * @throws UsageError `untrusted-job`
 */
export async function assertTrustedJob(runtime: Runtime, { reviewed = false } = {}): Promise<void> {
  if (!isHostedJob(runtime)) return;
  runtime.opened.job ??= findOrigin(runtime);
  const { pullRequest } = await runtime.opened.job;
  if (!reviewed || pullRequest === undefined) return;
  throw new UsageError(
    "untrusted-job",
    `Nothing was applied, because this job belongs to pull request ${pullRequest}. \`apply --reviewed\` applies only merged changes. Run it in a job for pushes to the branch.`,
  );
}

async function findOrigin(runtime: Runtime): Promise<Pick<RunFacts, "pullRequest">> {
  const { host, signal } = runtime;
  const folder = host.resolve(path.dirname(runtime.options.file ?? ""));
  const git = { folder, signal, environment: host.environment };
  const repository = await openRepository(git).catch(tolerateMissingRepository);
  const head = await repository?.readHead();
  const run = await readRun(host.environment, { head });
  const createRefusal = (why: string) =>
    new UsageError(
      "untrusted-job",
      `Nothing was applied: ${why}. Apply the change after the merge, in a job for pushes to the branch.`,
    );
  if (run.isFromFork === true) throw createRefusal("the checked-out change comes from a fork");
  if (!repository || head === undefined) throw createRefusal(`${unknown}, because ${folder} has no commit`);
  if (run.isFromFork === false || (await isInJobBranch(runtime, repository, head))) return run;
  const isOurs = await isKnownToHost(runtime, run, head).catch((error: Error) => {
    if (signal.aborted) throw error;
    throw createRefusal(`${unknown} (${error.message.replace(/\.$/, "")})`);
  });
  if (!isOurs) throw createRefusal(unknown);
  return run;
}

const unknown = "it is unknown whether the checked-out change comes from a fork";

function tolerateMissingRepository(error: unknown): undefined {
  if (!(error instanceof GitError) || error.code === "cancelled") throw error;
  if (error.code === "not-a-repository") return undefined;
  throw new UsageError("untrusted-job", `Nothing was applied: ${unknown}. ${error.message}`);
}

/** Returns whether the job's branch contains the checked-out commit. */
async function isInJobBranch({ host }: Runtime, repository: Repository, head: string): Promise<boolean> {
  const {
    GITHUB_SHA,
    CI_COMMIT_SHA: started = GITHUB_SHA,
    GITHUB_REF = "",
    CI_MERGE_REQUEST_IID,
  } = host.environment;
  const isPull = GITHUB_REF.startsWith("refs/pull/") || Boolean(CI_MERGE_REQUEST_IID);
  return started !== undefined && !isPull && isAncestor(repository, head, started);
}

/**
 * Asks the code host whether the commit belongs to a merged pull request, or to a pull request from the repository
 * itself.
 */
async function isKnownToHost(
  runtime: Runtime,
  { host, pullRequest }: RunFacts,
  head: string,
): Promise<boolean> {
  const pulls = await withRepositoryHost(runtime, host, async (opened) =>
    pullRequest === undefined
      ? opened.listPullRequestsForCommit(head)
      : [await opened.getPullRequest(pullRequest)],
  );
  return pulls.some(
    ({ isMerged, isFromFork, headCommit, mergeCommit }) =>
      (isMerged || !isFromFork) && (pullRequest === undefined || head === headCommit || head === mergeCommit),
  );
}
