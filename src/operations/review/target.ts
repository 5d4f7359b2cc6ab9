import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { findRepository } from "../../core/history/index.js";
import type { ApplyConditions, RepeatedOptions } from "../../output/render/index.js";
import {
  createHostLinks,
  type HostName,
  type Reviewed,
  type RunFacts,
  readReviewKey,
  readRun,
  signReview,
} from "../../review/hosts/index.js";
import { findAppliedBranch, findDefaultBranch } from "../project/applied-branch.js";
import { type CodeHostOptions, withRepositoryHost } from "../project/code-host.js";
import { createProjectOptions } from "../project/project-options.js";
import { findActor } from "../runtime/actor.js";
import type { Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";

/** The reviewed change, and where to post its review. */
export interface ReviewTarget {
  readonly run: RunFacts;
  readonly reviewed: Reviewed;
  /** The reviewed commit, or undefined outside a repository. */
  readonly commit: string | undefined;
  /** The checked-out commit. */
  readonly head: string | undefined;
  /** The applied branch outside pull requests, if known. */
  readonly branch: string | undefined;
  /** Base commit of the pull request, if read from the host. */
  readonly base?: string | undefined;
  readonly runUrl: string | undefined;
  /** Returns the URL of a commit, if the host is known. `fileUrl` returns the URL of a line in a project file. */
  readonly getCommitUrl: (commit: string) => string | undefined;
  readonly fileUrl: ((file: string, line: number) => string) | undefined;
  /** Signs a plan for a commit. Returns undefined without a review key. */
  readonly sign: (commit: string, digest: string) => string | undefined;
  /** Signs a commit's list of changed objects. The signature is not tied to one project. */
  readonly signList: (commit: string, list: string) => string | undefined;
  /** Command for a comment, with paths relative to the repository root. */
  readonly apply: ApplyByDigest;
  readonly repeated: RepeatedOptions;
  /** Commands for the log, with paths relative to the current folder. */
  readonly forLog: { readonly apply: ApplyByDigest; readonly repeated: RepeatedOptions };
}

/** Returns the command that applies a plan of this project. */
type ApplyByDigest = (digest: string, conditions: Pick<ApplyConditions, "exceedsThreshold">) => string;

/** Options that override CI and the repository. */
export interface ReviewOptions extends CodeHostOptions {
  readonly pullRequest?: number | undefined;
  /** Full id of the reviewed commit. */
  readonly commit?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Reads the review target from options, CI and the repository. @throws HostSetupError */
export async function readReviewTarget(runtime: Runtime, options: ReviewOptions): Promise<ReviewTarget> {
  const { file, env: environment } = runtime.options;
  const { host, signal } = runtime;
  const folder = host.resolve(path.dirname(file ?? ""));
  const repository = await findRepository(folder, { environment: host.environment, signal });
  const { prefix = "" } = repository ?? {};
  const head = await repository?.readHead();
  const run = await readRun(host.environment, {
    head,
    host: options.host as HostName | undefined,
    repository: options.repo,
    pullRequest: options.pullRequest,
    commit: options.commit,
  });
  const commit = run.commit ?? head;
  const links = run.host && createHostLinks(run.host);
  const reviewed = { project: path.posix.join(prefix, path.basename(file ?? "avatarops.yaml")), environment };
  // A dry run posts no review, so it needs no key.
  const key = readReviewKey(host.environment, options.dryRun ? undefined : run.host?.name);
  const page = links?.repository ?? "";
  return {
    ...{ run, reviewed, commit, head },
    branch: repository && (await findAppliedBranch(runtime, repository, options.branch ?? run.branch)),
    runUrl: findActor(host).run,
    sign: (planned, digest) =>
      key && signReview(key, reviewed, { repository: page, commit: planned, digest }),
    signList: (planned, digest) =>
      key && signReview(key, { project: "objects" }, { repository: page, commit: planned, digest }),
    getCommitUrl: (id) => links?.commit(id),
    fileUrl:
      links && commit !== undefined
        ? (named, line) => links.file(commit, path.posix.join(prefix, named), line)
        : undefined,
    ...createCommands(createProjectOptions(runtime, repository?.prefix)),
    forLog: createCommands({
      file: file === undefined ? undefined : quoteShellWord(file),
      env: environment === undefined ? undefined : quoteShellWord(environment),
    }),
  };
}

/** Creates the commands. `repeated` must be quoted for the shell. */
function createCommands(repeated: RepeatedOptions): Pick<ReviewTarget, "apply" | "repeated"> {
  const chosen = [repeated.file && `--file ${repeated.file}`, repeated.env && `--env ${repeated.env}`];
  return {
    apply: (digest, { exceedsThreshold }) =>
      [
        ...["avatarops apply", ...chosen, `--digest ${quoteShellWord(digest)}`],
        exceedsThreshold && "--allow threshold",
      ]
        .filter(Boolean)
        .join(" "),
    repeated,
  };
}

/**
 * Reads the review target, and checks whether the change comes from a fork. If the code host lacks the commit or cannot
 * be reached, the change is untrusted.
 */
export async function findReviewTarget(runtime: Runtime, options: ReviewOptions): Promise<ReviewTarget> {
  const target = await readReviewTarget(runtime, options);
  const { run, head = "" } = target;
  const { host, pullRequest: number } = run;
  if (run.isFromFork !== undefined) return target;
  // A job started by a comment or by hand has the repository's permissions, even if it checked out a fork. Merge
  // parents prove nothing, because anyone can create a commit with any parent.
  let base: string | undefined;
  try {
    if (!host) throw new UsageError("no-host", "The repository is unknown. Set it with --repo.");
    const pulls = await withRepositoryHost(runtime, host, async (opened) =>
      number === undefined ? opened.listPullRequestsForCommit(head) : [await opened.getPullRequest(number)],
    );
    const pull = pulls.find((one) => !one.isFromFork) ?? pulls[0];
    if (!pull)
      throw new UsageError(
        "no-pull-request",
        "The commit has no pull request. Choose one with --pull-request.",
      );
    const { isFromFork, headCommit, mergeCommit } = pull;
    // Uses the base commit, not the base branch. In a job that checked out a fork, `origin` is the fork.
    base = pull.baseCommit;
    if (number !== undefined && !isFromFork && head !== headCommit && head !== mergeCommit)
      throw new UsageError(
        "other-commit",
        `Pull request ${number} is at ${headCommit}. Check out that commit, or its merge commit from the code host.`,
      );
    return { ...target, run: { ...run, isFromFork }, base };
  } catch (error) {
    if (runtime.signal.aborted || !(error instanceof Error)) throw error;
    runtime.output.warn(
      `Commit ${head} is treated as a fork's commit (--untrusted), because its origin is unknown: ${error.message}`,
    );
    // Uses the default branch only outside CI. In a job that checked out a fork, `origin` is the fork.
    const usual =
      options.dryRun && findActor(runtime.host).ci === undefined && (await findDefaultBranch(runtime));
    if (usual) base ??= `refs/remotes/origin/${usual}`;
    return { ...target, run: { ...run, isFromFork: true }, base };
  }
}
