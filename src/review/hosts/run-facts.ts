import { readFile } from "node:fs/promises";
import * as z from "zod";
import { HostSetupError } from "./errors.js";
import type { HostName, Token } from "./host.js";
import { permissions } from "./permissions.js";
import { type Address, defaultApiUrl, findRepository } from "./repository.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line says; it wins over the CI. */
export interface RunOptions {
  readonly host?: HostName | undefined;
  /** `owner/name`, or the address of its page. */
  readonly repository?: string | undefined;
  readonly pullRequest?: number | undefined;
  readonly commit?: string | undefined;
  /** The commit that is checked out. */
  readonly head?: string | undefined;
}

/** A run of the CI. */
export interface RunFacts {
  readonly host?: Address | undefined;
  readonly pullRequest?: number | undefined;
  /** Its head; in a pull request, not the merge commit that the CI may have made for itself. */
  readonly commit?: string | undefined;
  /** The branch that the pull request is proposed to. */
  readonly baseBranch?: string | undefined;
  /** The branch that the job is for; absent in pull requests. */
  readonly branch?: string | undefined;
  /** The change comes from another repository. Undefined if only the host knows: what is read is not what an event was about. */
  readonly isFromFork: boolean | undefined;
  /** Where the CI takes a summary of the job, in Markdown. */
  readonly summaryFile?: string | undefined;
}

/**
 * What the environment of a GitHub, GitLab, Gitea or Forgejo job and the options say.
 *
 * @throws HostSetupError if the options say something impossible, or the file of the event cannot be read.
 */
export async function readRun(environment: Environment, options: RunOptions): Promise<RunFacts> {
  const { summaryFile, ...ofCi } = await ofEnvironment(environment, options.head);
  const host = findRepository(options, ofCi.host);
  const isSame = host?.repository === ofCi.host?.repository && host?.webUrl === ofCi.host?.webUrl;
  const { pullRequest = isSame ? ofCi.pullRequest : undefined } = options;
  // The commit of the CI is one of its own pull request.
  const isOwn = isSame && pullRequest === ofCi.pullRequest;
  const { commit = isOwn ? ofCi.commit : undefined } = options;
  const isNamed = host !== undefined && options.commit !== undefined && options.commit !== ofCi.commit;
  const isKnown = pullRequest === undefined ? !isNamed : isOwn;
  return {
    host,
    pullRequest,
    commit,
    baseBranch: isOwn ? ofCi.baseBranch : undefined,
    branch: isSame ? ofCi.branch : undefined,
    isFromFork: ofCi.isFromFork || (isKnown ? ofCi.isFromFork : undefined),
    summaryFile,
  };
}

const tokenVariables: Readonly<Record<HostName, readonly string[]>> = {
  github: ["GITHUB_TOKEN", "GH_TOKEN"],
  gitlab: ["GITLAB_TOKEN"],
  gitea: ["GITEA_TOKEN", "FORGEJO_TOKEN", "GITHUB_TOKEN"],
};

/**
 * The token for a host.
 *
 * @throws HostSetupError with the variables to set.
 */
export function tokenIn(environment: Environment, name: HostName): Token {
  for (const variable of tokenVariables[name]) {
    const value = environment[variable]?.trim();
    if (value) return { variable, reveal: () => value };
  }
  const [first = "", ...others] = tokenVariables[name];
  const either = others.length > 0 ? ` (or ${others.join(" or ")})` : "";
  throw new HostSetupError(
    "no-token",
    `The code host needs a token: set ${first}${either}. ${permissions[name]}`,
  );
}

/** Whether a variable of the environment has a token of a code host, or the key that signs reviews. */
export function isHostCredential(variable: string): boolean {
  return variable === "AVATAROPS_REVIEW_KEY" || Object.values(tokenVariables).flat().includes(variable);
}

/** In characters. */
const shortestKey = 20;

/**
 * The key that signs reviews, if one is set.
 *
 * @throws HostSetupError if it is too short.
 */
export function reviewKeyIn({ AVATAROPS_REVIEW_KEY: given }: Environment): string | undefined {
  const key = given?.trim();
  if (!key || key.length >= shortestKey) return key || undefined;
  throw new HostSetupError(
    "review-key",
    `AVATAROPS_REVIEW_KEY is too short to sign with: make one of at least ${shortestKey} characters, e.g. with \`openssl rand -base64 32\`.`,
  );
}

async function ofEnvironment(environment: Environment, checkedOut: string | undefined): Promise<RunFacts> {
  if (environment.GITLAB_CI) return ofGitLab(environment, checkedOut);
  const isGitea = Boolean(environment.GITEA_ACTIONS || environment.FORGEJO_ACTIONS);
  if (isGitea || environment.GITHUB_ACTIONS) return ofActions(environment, isGitea, checkedOut);
  return { isFromFork: false };
}

async function ofGitLab(environment: Environment, checkedOut: string | undefined): Promise<RunFacts> {
  const {
    CI_SERVER_URL: webUrl,
    CI_API_V4_URL: apiUrl = defaultApiUrl("gitlab", webUrl ?? ""),
    CI_PROJECT_PATH: project,
    CI_MERGE_REQUEST_PROJECT_PATH: repository = project,
    // Empty in pipelines of branches; in those of merged results, CI_COMMIT_SHA is a commit of GitLab's own.
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
            webUrl: bare(webUrl),
            apiUrl: bare(apiUrl),
            repository,
            // The pipeline of a fork is not one of this project.
            pipelineId: pipeline && repository === project ? Number(pipeline) : undefined,
          }
        : undefined,
    // What a merge train made is of several merge requests: no comment is about it.
    ...(isTrain
      ? {}
      : {
          pullRequest: iid ? Number(iid) : undefined,
          baseBranch: environment.CI_MERGE_REQUEST_TARGET_BRANCH_NAME || undefined,
        }),
    ...(from || iid
      ? { commit: commit || undefined, isFromFork: from ? from !== to : undefined }
      : { ...branchFacts(sha, checkedOut), branch: environment.CI_COMMIT_BRANCH || undefined }),
  };
}

const head = z.object({
  label: z.string().nullish(),
  sha: z.string(),
  repo: z.object({ full_name: z.string() }).nullish(),
});
/** The part of an event that says which pull request it is about. */
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
async function ofActions(
  environment: Environment,
  isGitea: boolean,
  checkedOut: string | undefined,
): Promise<RunFacts> {
  const webUrl = bare(environment.GITHUB_SERVER_URL ?? "https://github.com");
  const name = isGitea ? "gitea" : "github";
  const {
    GITHUB_API_URL: apiUrl = defaultApiUrl(name, webUrl),
    GITHUB_REPOSITORY: repository,
    GITHUB_STEP_SUMMARY: summaryFile,
  } = environment;
  return {
    host: repository
      ? { name, webUrl, apiUrl: bare(apiUrl), repository, isJobToken: isGitea || undefined }
      : undefined,
    summaryFile: summaryFile || undefined,
    ...(await ofEvent(environment, checkedOut)),
  };
}

async function ofEvent(
  environment: Environment,
  checkedOut: string | undefined,
): Promise<Pick<RunFacts, "pullRequest" | "commit" | "baseBranch" | "branch" | "isFromFork">> {
  const { GITHUB_EVENT_PATH: file, GITHUB_REF: ref, GITHUB_SHA: sha } = environment;
  const found = file ? await readEvent(file) : {};
  const { pull_request: pull, merge_group: group, issue, workflow_run: run, repository } = found;
  if (pull) {
    const { number, head, base } = pull;
    return {
      pullRequest: number,
      commit: head.sha,
      baseBranch: base.ref ?? undefined,
      // Gitea: without a label, it was pushed to refs/for/BRANCH, as whoever may read the repository can.
      isFromFork: head.repo?.full_name !== base.repo.full_name || head.label === "",
    };
  }
  if (group) return branchFacts(group.head_sha, checkedOut);
  // The commit of a comment's event is that of the default branch.
  if (issue?.pull_request) return { pullRequest: issue.number, isFromFork: undefined };
  const [, number] = /^refs\/pull\/(\d+)\//.exec(ref ?? "") ?? [];
  if (number) return { pullRequest: Number(number), isFromFork: undefined };
  // It has the rights of the repository, and may have taken over files of the run before, whatever is checked out.
  if (run && run.head_repository?.full_name !== repository?.full_name) return { isFromFork: true };
  const [, branch] = /^refs\/heads\/(.+)/.exec(ref ?? "") ?? [];
  return { ...branchFacts(sha, checkedOut), branch };
}

/** Without a pull request, CI starts for a commit of a branch of the repository; what a job then checks out may be anybody's. */
function branchFacts(
  started: string | undefined,
  checkedOut: string | undefined,
): Pick<RunFacts, "commit" | "isFromFork"> {
  const commit = checkedOut ?? started;
  return { commit: commit || undefined, isFromFork: commit === started ? false : undefined };
}

async function readEvent(file: string): Promise<z.infer<typeof event>> {
  try {
    return event.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    throw new HostSetupError(
      "event-file",
      "GITHUB_EVENT_PATH does not name the file of a GitHub event: say which pull request it is with --repo, --pull-request and --commit.",
      { cause },
    );
  }
}

/** An address without slashes at its end. */
function bare(url: string): string {
  return url.endsWith("/") ? bare(url.slice(0, -1)) : url;
}
