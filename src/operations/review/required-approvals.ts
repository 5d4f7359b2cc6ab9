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
import { calculateRequired, countApprovals } from "./count-approvals.js";
import { listMergedPullRequests } from "./merged-pull-request.js";

/*
 * The required number of approvals follows from the branch history, along first parents, because commits of merged branches were never
 * in force. A commit that raises the number counts at once; one that lowers it only counts if its pull request had as many approvals
 * as the old number requires. Records of earlier applies do not count, because anyone with push access can write them.
 */

export interface RequiredApprovals {
  readonly required: number;
  /** Names the source of the number, as a sentence without a full stop. */
  readonly why: string;
}

export interface ApprovalSources {
  readonly git: Repository;
  readonly host: CodeHost;
  /** The applied branch, if known. */
  readonly branch: string | undefined;
}

/**
 * Finds the required number of approvals: the maximum of the option, the manifest, and the number in force according to the history.
 *
 * @param given Number from the option.
 * @throws UsageError `not-approved` if the history cannot be read, or has a manifest in TypeScript, unless the option has a number.
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
      why: "`reviews.require_approval` says how many are needed",
    },
    { required: given ?? 0, why: "--require-approval says how many are needed" },
  ];
  try {
    numbers.push(await followHistory(project, sources));
  } catch (error) {
    const refusal = describeUnreadable(runtime, error, "Say how many with --require-approval.");
    if (given === undefined) throw refusal;
  }
  return numbers.reduce((most, one) => (one.required > most.required ? one : most));
}

/**
 * Finds the required approvals for an apply that no person agreed to. On a laptop, where the user has the key, the manifest decides.
 * In a job, a change could lower its number, so the history counts. Without a repository or commits, there is no earlier number.
 *
 * @throws UsageError `not-approved`, also if the history cannot be read; HostError, HostSetupError if an earlier number was lowered, and the code host cannot be asked.
 */
export async function findUnattendedRequirement(
  runtime: Runtime,
  project: Project,
): Promise<RequiredApprovals | undefined> {
  if (!isInCi(runtime.host)) return undefined;
  return rejectUnreadable(runtime, async () => {
    const git = await openRequiring(runtime, project);
    if (!git) return undefined;
    const branch = await readRunBranch(runtime, git);
    return withCodeHost(runtime, {}, (codeHost) =>
      findRequiredApprovals(runtime, project, { git, host: codeHost, branch }, undefined),
    );
  });
}

/** Opens the repository if the project's history requires approvals. @throws GitError, UnreadableError */
async function openRequiring({ host, signal }: Runtime, project: Project): Promise<Repository | undefined> {
  const git = await findRepository(project.root, { environment: host.environment, signal });
  if (!git || !(await hasCommits(git))) return undefined;
  const numbers = await readKnownNumbers(project, git);
  return numbers.some(({ required }) => required > 0) ? git : undefined;
}

/** Whether the manifest or the history requires approvals. @throws GitError, UnreadableError */
export async function isApprovalRequired(runtime: Runtime, project: Project): Promise<boolean> {
  const git = await openRequiring(runtime, project);
  return git !== undefined || project.reviews.requireApproval > 0;
}

async function hasCommits(git: Repository): Promise<boolean> {
  return (await git.text(["rev-list", "--max-count=1", "--all"])) !== "";
}

/** Thrown if the history, or a manifest in it, cannot be read. */
class UnreadableError extends Error {}

class ShallowError extends UnreadableError {
  constructor(options?: ErrorOptions) {
    super("this clone lacks the history of the branch.", options);
  }
}

/** Runs `work`, and rejects the apply if it cannot read the history. @throws UsageError `not-approved`; other errors of `work` */
export function rejectUnreadable<Result>(runtime: Runtime, work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    throw describeUnreadable(runtime, error, "Or use `apply --reviewed --require-approval N`.");
  });
}

/** Converts the error of an unreadable history. @throws other errors */
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
        inForce = { required, why: `\`reviews.require_approval\` of ${named} says how many are needed` };
      continue;
    }
    const lowering = await findApprovedPull(sources, commit, inForce.required);
    inForce =
      "approved" in lowering
        ? { required, why: `\`reviews.require_approval\` of ${named} says how many are needed` }
        : {
            required: inForce.required,
            why: `\`reviews.require_approval\` was ${inForce.required} until ${named} lowered it to ${required} without as many approvals (${lowering.flaw})`,
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
    if (found.counted.length >= calculateRequired(required, found)) return { approved: pull };
    flaws.push(`pull request #${pull.number} had ${found.counted.length}`);
  }
  return { flaw: flaws.join(", ") || "it came by no pull request" };
}

interface RequiredNumber<Required> {
  readonly commit: string;
  readonly required: Required;
}

/** @throws UnreadableError if a number is unknown. */
async function readKnownNumbers(
  project: Project,
  git: Repository,
): Promise<readonly RequiredNumber<number>[]> {
  return (await readNumbers(project, git)).map(({ commit, required }) => {
    if (required !== "unknown") return { commit, required };
    throw new UnreadableError(
      `the manifest of commit ${commit.slice(0, 10)} is in TypeScript or a link, and neither is followed for an old commit.`,
    );
  });
}

/** Reads the numbers of commits that changed the main file, oldest first. Skips commits without a readable manifest. */
async function readNumbers(
  { file, environment }: Project,
  git: Repository,
): Promise<readonly RequiredNumber<number | "unknown">[]> {
  // Renaming the main file must not start a new history.
  const names: readonly string[] = mainFiles.some((name) => name === file) ? mainFiles : [file];
  if (await isShallow(git))
    await fetchQuietly(git, "origin", [(await git.head()) ?? "HEAD"], ["--unshallow"]).catch(
      (error: unknown) => {
        throw error instanceof GitError && error.code !== "cancelled"
          ? new ShallowError({ cause: error })
          : error;
      },
    );
  if (await isShallow(git)) throw new ShallowError();
  const paths = names.map((name) => `${git.prefix}${name}`);
  const listed = await git.text([...["rev-list", "--first-parent", "--reverse", "HEAD", "--"], ...names]);
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

/** Whether code of the repository ever mentions the setting, which a main file in TypeScript may import from anywhere. */
async function isMentionedInCode(git: Repository): Promise<boolean> {
  const options = ["--first-parent", "-m", "-i", "-Grequire_?approval", "--name-only", "--format="];
  const names = await git.text(["log", ...options, "HEAD"]);
  return names.split("\n").some((name) => /\.(?:[cm]?[jt]sx?|(?<!schema\.)json)$/.test(name));
}
