import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { fetchQuietly, GitError, isShallow, type Repository, readObjects } from "../../base/git/index.js";
import { findRepository } from "../../core/history/index.js";
import { mainFiles, readRequiredApprovals } from "../../core/manifest/index.js";
import type { CodeHost, PullRequest } from "../../review/hosts/index.js";
import { readRunBranch } from "../project/applied-branch.js";
import { withCodeHost } from "../project/code-host.js";
import { describeFullFetch, isInCi } from "../runtime/actor.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { addApprovalIfUnsure, countApprovals } from "./count-approvals.js";
import { listMergedPullRequests } from "./merged-pull-request.js";

/*
 * The required number of approvals comes from the first-parent history of the branch, because commits inside merged
 * branches were never in force. Any commit can raise the number. A commit lowers it only if its pull request had as
 * many approvals as were required before.
 *
 * Records of earlier applies do not count, because anyone with push access can write them.
 */

export interface RequiredApprovals {
  readonly required: number;
  /** Origin of the number, as a sentence without a period. */
  readonly why: string;
}

export interface ApprovalSources {
  readonly git: Repository;
  readonly host: CodeHost;
  /** The applied branch, if known. */
  readonly branch: string | undefined;
}

/**
 * Finds the required number of approvals: the highest of the option, the manifest, and the number in force according to
 * the history.
 *
 * @param given Number from the option.
 * @throws UsageError `not-approved` if the history cannot be read or has a manifest in TypeScript, unless `given` is
 * set.
 */
export async function findRequiredApprovals(
  runtime: Runtime,
  project: Project,
  sources: ApprovalSources,
  given: number | undefined,
): Promise<RequiredApprovals> {
  const numbers: RequiredApprovals[] = [
    {
      required: project.reviews.requireApproval,
      why: `\`reviews.require_approval\` is ${project.reviews.requireApproval}`,
    },
    { required: given ?? 0, why: `--require-approval is ${given}` },
  ];
  try {
    numbers.push(await followHistory(project, sources));
  } catch (error) {
    const refusal = describeUnreadable(runtime, error, "Set the number with --require-approval.");
    if (given === undefined) throw refusal;
  }
  return numbers.reduce((most, one) => (one.required > most.required ? one : most));
}

/**
 * Finds the required approvals for an apply without a saved plan, a digest or `--reviewed`. In a job, the history
 * decides, because a change to the manifest could lower its own requirement.
 *
 * @returns undefined on a laptop (where the manifest decides), outside a repository, or if the history requires no
 * approvals.
 * @throws UsageError `not-approved`, also if the history cannot be read; HostError, HostSetupError if an earlier number
 * was lowered and the code host cannot be reached.
 */
export async function findUnattendedRequirement(
  runtime: Runtime,
  project: Project,
): Promise<RequiredApprovals | undefined> {
  if (!isInCi(runtime.host)) return undefined;
  return withReadableHistory(runtime, async () => {
    const git = await openIfApprovalRequired(runtime, project);
    if (!git) return undefined;
    const branch = await readRunBranch(runtime, git);
    return withCodeHost(runtime, {}, (codeHost) =>
      findRequiredApprovals(runtime, project, { git, host: codeHost, branch }, undefined),
    );
  });
}

/** Opens the repository if the project's history requires approvals. @throws GitError, UnreadableError */
async function openIfApprovalRequired(
  { host, signal }: Runtime,
  project: Project,
): Promise<Repository | undefined> {
  const git = await findRepository(project.root, { environment: host.environment, signal });
  if (!git || !(await hasCommits(git))) return undefined;
  const numbers = await readKnownNumbers(project, git);
  return numbers.some(({ required }) => required > 0) ? git : undefined;
}

/** Returns whether the manifest or the history requires approvals. @throws GitError, UnreadableError */
export async function isApprovalRequired(runtime: Runtime, project: Project): Promise<boolean> {
  const git = await openIfApprovalRequired(runtime, project);
  return git !== undefined || project.reviews.requireApproval > 0;
}

async function hasCommits(git: Repository): Promise<boolean> {
  return (await git.readText(["rev-list", "--max-count=1", "--all"])) !== "";
}

/** Thrown if the history, or a manifest in it, cannot be read. */
class UnreadableError extends Error {}

class ShallowError extends UnreadableError {
  constructor(options?: ErrorOptions) {
    super("this clone lacks the branch history.", options);
  }
}

/**
 * Runs `work`, and rejects the apply if the history cannot be read.
 *
 * @throws UsageError `not-approved`; other errors of `work`
 */
export function withReadableHistory<Result>(runtime: Runtime, work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    throw describeUnreadable(
      runtime,
      error,
      "Alternatively, set the number with `apply --reviewed --require-approval N`.",
    );
  });
}

/** Converts an error about an unreadable history to a `not-approved` error. Rethrows any other error. */
function describeUnreadable({ host, signal }: Runtime, error: unknown, advice: string): UsageError {
  const isUnreadable = error instanceof GitError || error instanceof UnreadableError;
  if (!isUnreadable || signal.aborted) throw error;
  const fetching = error instanceof ShallowError ? ` ${describeFullFetch(host)}` : "";
  return new UsageError(
    "not-approved",
    `It is unknown how many approvals are required: ${error.message}${fetching} ${advice}`,
    { cause: error.cause },
  );
}

async function followHistory(project: Project, sources: ApprovalSources): Promise<RequiredApprovals> {
  let inForce: RequiredApprovals | undefined;
  for (const { commit, required } of await readKnownNumbers(project, sources.git)) {
    const named = `commit ${commit.slice(0, 10)}`;
    if (inForce === undefined || required >= inForce.required) {
      if (required !== inForce?.required)
        inForce = { required, why: `\`reviews.require_approval\` has been ${required} since ${named}` };
      continue;
    }
    const lowering = await findApprovedPull(sources, commit, inForce.required);
    inForce =
      "approved" in lowering
        ? { required, why: `\`reviews.require_approval\` has been ${required} since ${named}` }
        : {
            required: inForce.required,
            why: `\`reviews.require_approval\` was ${inForce.required}, and ${named} lowered it to ${required} without enough approvals (${lowering.flaw}), so ${inForce.required} is still required`,
          };
  }
  return inForce ?? { required: 0, why: "" };
}

async function findApprovedPull(
  { host, branch }: ApprovalSources,
  commit: string,
  required: number,
): Promise<{ readonly approved: PullRequest } | { readonly flaw: string }> {
  const flaws: string[] = [];
  for (const pull of await listMergedPullRequests(host, commit, branch)) {
    const found = await countApprovals(host, pull);
    if (found.counted.length >= addApprovalIfUnsure(required, found)) return { approved: pull };
    flaws.push(`pull request #${pull.number} had ${found.counted.length}`);
  }
  return { flaw: flaws.join(", ") || "it was merged without a pull request" };
}

interface RequiredNumber<Required> {
  readonly commit: string;
  readonly required: Required;
}

/**
 * Reads the required numbers of approvals, oldest first.
 *
 * @throws UnreadableError if a number is unknown.
 */
async function readKnownNumbers(
  project: Project,
  git: Repository,
): Promise<readonly RequiredNumber<number>[]> {
  return (await readNumbers(project, git)).map(({ commit, required }) => {
    if (required !== "unknown") return { commit, required };
    throw new UnreadableError(
      `the manifest in commit ${commit.slice(0, 10)} is TypeScript or a symlink, which avatarops does not read in old commits.`,
    );
  });
}

/**
 * Reads the required approvals in each commit that changed the main file, oldest first. Skips commits without a
 * readable manifest.
 */
async function readNumbers(
  { file, environment }: Project,
  git: Repository,
): Promise<readonly RequiredNumber<number | "unknown">[]> {
  // A renamed main file must keep its history.
  const names: readonly string[] = mainFiles.some((name) => name === file) ? mainFiles : [file];
  if (await isShallow(git))
    await fetchQuietly(git, "origin", [(await git.readHead()) ?? "HEAD"], ["--unshallow"]).catch(
      (error: unknown) => {
        throw error instanceof GitError && error.code !== "cancelled"
          ? new ShallowError({ cause: error })
          : error;
      },
    );
  if (await isShallow(git)) throw new ShallowError();
  const paths = names.map((name) => path.posix.join(git.prefix, name));
  const listed = await git.readText([...["rev-list", "--first-parent", "--reverse", "HEAD", "--"], ...names]);
  const commits = listed.split("\n").filter(Boolean);
  let inCode: Promise<boolean> | undefined;
  const objects = await readObjects(
    git,
    commits.flatMap((commit) => paths.map((name) => `${commit}:${name}`)),
  );
  const numbers = commits.map(async (commit, at) => {
    const found = names.flatMap((name, i) => {
      const content = objects[at * names.length + i]?.content;
      return content === undefined ? [] : [{ name, text: content.toString("utf8") }];
    });
    const [main] = found;
    if (!main) return [];
    if (main.name.endsWith(".ts")) {
      inCode ??= isMentionedInCode(git);
      return [{ commit, required: (await inCode) ? ("unknown" as const) : 0 }];
    }
    const required = readRequiredApprovals(main.name, main.text, environment);
    return required === undefined ? [] : [{ commit, required }];
  });
  return (await Promise.all(numbers)).flat();
}

/**
 * Returns whether code in the repository ever mentioned the setting. A main file in TypeScript may import it from
 * anywhere.
 */
async function isMentionedInCode(git: Repository): Promise<boolean> {
  const options = ["--first-parent", "-m", "-i", "-Grequire_?approval", "--name-only", "--format="];
  const names = await git.readText(["log", ...options, "HEAD"]);
  return names.split("\n").some((name) => /\.(?:[cm]?[jt]sx?|(?<!schema\.)json)$/.test(name));
}
