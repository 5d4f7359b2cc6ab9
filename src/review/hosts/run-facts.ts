import { readFile } from "node:fs/promises";
import * as z from "zod";
import { describeFirstIssue, parseJson } from "../../base/text/index.js";
import { HostSetupError } from "./errors.js";
import { type HostName, hostNames, type Token } from "./host.js";
import { hostFacts } from "./host-facts.js";
import { findRepository, type RepositoryLocation } from "./repository.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Command-line options, which override CI variables. */
export interface RunOptions {
  readonly host?: HostName | undefined;
  /** Repository, as `owner/name` or the URL of its page. */
  readonly repository?: string | undefined;
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  /** Checked-out commit. */
  readonly head?: string | undefined;
}

/** Facts about a CI job. */
export interface RunFacts {
  readonly host?: RepositoryLocation | undefined;
  readonly pullRequest?: number | undefined;
  /** Head commit. In a pull request, not the merge commit that CI may have created. */
  readonly commit?: string | undefined;
  /** The pull request's target branch. */
  readonly baseBranch?: string | undefined;
  /** Branch that triggered the job. Absent in pull requests. */
  readonly branch?: string | undefined;
  /**
   * Whether the change comes from another repository. Undefined if only the host can determine this, because the change
   * itself did not trigger the job.
   */
  readonly isFromFork: boolean | undefined;
  /** File for a Markdown job summary. */
  readonly summaryFile?: string | undefined;
}

/**
 * Reads the facts from the options and the environment of a GitHub, GitLab, Gitea or Forgejo job.
 *
 * @throws HostSetupError if an option is invalid or the event file cannot be read.
 */
export async function readRun(environment: Environment, options: RunOptions): Promise<RunFacts> {
  const { summaryFile, ...job } = await readEnvironment(environment, options.head);
  const host = findRepository(options, job.host);
  const isJobsRepository = host?.repository === job.host?.repository && host?.webUrl === job.host?.webUrl;
  const { pullRequest = isJobsRepository ? job.pullRequest : undefined } = options;
  // The job's commit belongs only to the job's own pull request.
  const isJobsPullRequest = isJobsRepository && pullRequest === job.pullRequest;
  const { commit = isJobsPullRequest ? job.commit : undefined } = options;
  const isOtherCommit = host !== undefined && options.commit !== undefined && options.commit !== job.commit;
  const isJobsChange = pullRequest === undefined ? !isOtherCommit : isJobsPullRequest;
  return {
    host,
    pullRequest,
    commit,
    baseBranch: isJobsPullRequest ? job.baseBranch : undefined,
    branch: isJobsRepository ? job.branch : undefined,
    isFromFork: job.isFromFork || (isJobsChange ? job.isFromFork : undefined),
    summaryFile,
  };
}

/**
 * Returns the host's token.
 *
 * @throws HostSetupError that names the variables to set.
 */
export function readToken(environment: Environment, name: HostName): Token {
  const { tokenVariables, permissions } = hostFacts[name];
  for (const variable of tokenVariables) {
    const value = environment[variable]?.trim();
    if (value) return { variable, reveal: () => value };
  }
  const [first = "", ...others] = tokenVariables;
  const either = others.length > 0 ? ` (or ${others.join(" or ")})` : "";
  throw new HostSetupError(
    "no-token",
    `The code host requires a token. Set ${first}${either}. ${permissions}`,
  );
}

/** Environment variables that may contain a host's token. */
export const hostTokenVariables: readonly string[] = [
  ...new Set(hostNames.flatMap((name) => hostFacts[name].tokenVariables)),
];

/** Returns whether an environment variable contains a host's token, or the key that signs reviews. */
export function isHostCredential(variable: string): boolean {
  return variable === "AVATAROPS_REVIEW_KEY" || hostTokenVariables.includes(variable);
}

/** Minimum length of the key, in characters. */
const minKeyLength = 20;

/**
 * Returns the key that signs reviews, if set.
 *
 * @throws HostSetupError if the key is too short, or required but missing.
 */
export function readReviewKey(
  { AVATAROPS_REVIEW_KEY: given }: Environment,
  host: HostName | undefined,
): string | undefined {
  const key = given?.trim();
  if (!key && host !== undefined && hostFacts[host].hasAnonymousStatuses)
    throw new HostSetupError(
      "review-key",
      "This code host does not show who set a status, so only signed reviews count. Set AVATAROPS_REVIEW_KEY only in the jobs that plan and apply. Create a key with `openssl rand -base64 32`.",
    );
  if (!key || key.length >= minKeyLength) return key || undefined;
  throw new HostSetupError(
    "review-key",
    `AVATAROPS_REVIEW_KEY is too short. Use at least ${minKeyLength} characters, such as the output of \`openssl rand -base64 32\`.`,
  );
}

async function readEnvironment(environment: Environment, checkedOut: string | undefined): Promise<RunFacts> {
  if (environment.GITLAB_CI) return readGitLabJob(environment, checkedOut);
  const isGitea = Boolean(environment.GITEA_ACTIONS || environment.FORGEJO_ACTIONS);
  if (isGitea || environment.GITHUB_ACTIONS) return readActionsJob(environment, isGitea, checkedOut);
  return { isFromFork: false };
}

async function readGitLabJob(environment: Environment, checkedOut: string | undefined): Promise<RunFacts> {
  const {
    CI_SERVER_URL: webUrl,
    CI_API_V4_URL: apiUrl = hostFacts.gitlab.toApiUrl(webUrl ?? ""),
    CI_PROJECT_PATH: project,
    CI_MERGE_REQUEST_PROJECT_PATH: repository = project,
    // Empty in branch pipelines. In merged results pipelines, CI_COMMIT_SHA is a commit that GitLab created.
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sourceSha,
    CI_COMMIT_SHA: sha,
    CI_PIPELINE_ID: pipeline,
  } = environment;
  const { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: from, CI_MERGE_REQUEST_PROJECT_ID: to } = environment;
  const { CI_MERGE_REQUEST_IID: iid } = environment;
  const isTrain = environment.CI_MERGE_REQUEST_EVENT_TYPE === "merge_train";
  const commit = (isTrain ? undefined : sourceSha) || sha;
  return {
    host:
      webUrl && repository
        ? {
            name: "gitlab",
            webUrl: trimSlashes(webUrl),
            apiUrl: trimSlashes(apiUrl),
            repository,
            // A fork's pipeline does not belong to this project.
            pipelineId: pipeline && repository === project ? Number(pipeline) : undefined,
          }
        : undefined,
    // A merge train's commit combines several merge requests, so it has no single number.
    ...(isTrain
      ? {}
      : {
          pullRequest: iid ? Number(iid) : undefined,
          baseBranch: environment.CI_MERGE_REQUEST_TARGET_BRANCH_NAME || undefined,
        }),
    ...(from || iid
      ? { commit: commit || undefined, isFromFork: from ? from !== to : undefined }
      : { ...toBranchFacts(sha, checkedOut), branch: environment.CI_COMMIT_BRANCH || undefined }),
  };
}

const head = z.object({
  label: z.string().nullish(),
  sha: z.string(),
  repo: z.object({ full_name: z.string() }).nullish(),
});
/** Parts of an event that identify its pull request and the origin of the change. */
const event = z.object({
  pull_request: z
    .object({
      number: z.number(),
      head,
      base: z.object({ ref: z.string().nullish(), repo: z.object({ full_name: z.string() }) }),
    })
    .nullish(),
  merge_group: z.object({ head_sha: z.string() }).nullish(),
  issue: z.object({ number: z.number(), pull_request: z.unknown().optional() }).nullish(),
  workflow_run: z.object({ head_repository: z.object({ full_name: z.string() }).nullish() }).nullish(),
  repository: z.object({ full_name: z.string() }).nullish(),
});

async function readActionsJob(
  environment: Environment,
  isGitea: boolean,
  checkedOut: string | undefined,
): Promise<RunFacts> {
  const webUrl = trimSlashes(environment.GITHUB_SERVER_URL ?? "https://github.com");
  const name = isGitea ? "gitea" : "github";
  const {
    GITHUB_API_URL: apiUrl = hostFacts[name].toApiUrl(webUrl),
    GITHUB_REPOSITORY: repository,
    GITHUB_STEP_SUMMARY: summaryFile,
  } = environment;
  return {
    host: repository
      ? { name, webUrl, apiUrl: trimSlashes(apiUrl), repository, isJobToken: isGitea || undefined }
      : undefined,
    summaryFile: summaryFile || undefined,
    ...(await readActionsEvent(environment, checkedOut)),
  };
}

async function readActionsEvent(
  environment: Environment,
  checkedOut: string | undefined,
): Promise<Pick<RunFacts, "pullRequest" | "commit" | "baseBranch" | "branch" | "isFromFork">> {
  const { GITHUB_EVENT_PATH: file, GITHUB_REF: ref, GITHUB_SHA: sha } = environment;
  const content = file ? await readEventFile(file) : {};
  const { pull_request: pull, merge_group: group, issue, workflow_run: run, repository } = content;
  if (pull) {
    const { number, head, base } = pull;
    return {
      pullRequest: number,
      commit: head.sha,
      baseBranch: base.ref ?? undefined,
      // On Gitea, an empty label means a push to refs/for/BRANCH, which needs only read access.
      isFromFork: head.repo?.full_name !== base.repo.full_name || head.label === "",
    };
  }
  if (group) return toBranchFacts(group.head_sha, checkedOut);
  // In comment events, GITHUB_SHA is a commit of the default branch.
  if (issue?.pull_request) return { pullRequest: issue.number, isFromFork: undefined };
  const [, number] = /^refs\/pull\/(\d+)\//.exec(ref ?? "") ?? [];
  if (number) return { pullRequest: Number(number), isFromFork: undefined };
  // A job triggered by the run of a fork has this repository's permissions, and may use files from that run even if
  // another commit is checked out.
  if (run && run.head_repository?.full_name !== repository?.full_name) return { isFromFork: true };
  const [, branch] = /^refs\/heads\/(.+)/.exec(ref ?? "") ?? [];
  return { ...toBranchFacts(sha, checkedOut), branch };
}

/**
 * Trusts the commit that triggered the job, because it is on a branch of the repository. Any other checked-out commit
 * may come from anywhere.
 */
function toBranchFacts(
  triggering: string | undefined,
  checkedOut: string | undefined,
): Pick<RunFacts, "commit" | "isFromFork"> {
  const commit = checkedOut ?? triggering;
  return { commit: commit || undefined, isFromFork: commit === triggering ? false : undefined };
}

async function readEventFile(file: string): Promise<z.infer<typeof event>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw createEventError(file, "cannot be read", { cause });
  }
  const value = parseJson(text);
  if (value === undefined) throw createEventError(file, "is not JSON");
  const parsed = event.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw createEventError(file, `is not a GitHub event: ${describeFirstIssue(parsed.error)}`);
}

function createEventError(file: string, problem: string, options?: ErrorOptions): HostSetupError {
  return new HostSetupError(
    "event-file",
    `GITHUB_EVENT_PATH points to ${file}, which ${problem}. Select the pull request with --repo, --pull-request and --commit.`,
    options,
  );
}

function trimSlashes(url: string): string {
  return url.endsWith("/") ? trimSlashes(url.slice(0, -1)) : url;
}
