import { appendFile } from "node:fs/promises";
import { UsageError } from "../../../base/diagnostics/index.js";
import {
  basesInCi,
  makeReviewContent,
  onCodeHost,
  post,
  postFailure,
  type ReviewContent,
  type ReviewOptions,
  type ReviewTarget,
  readReviewTarget,
  reviewFacts,
} from "../../../operations/index.js";
import { renderReviewMarkdown } from "../../../output/render/index.js";
import { HostSetupError } from "../../../review/hosts/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode, planExitCode } from "../exit-code.js";
import type { reviewCommand } from "../facts/team.js";
import { showDiagnostics } from "../show-failure.js";

export const command: RunCommand<typeof reviewCommand> = async (given) => {
  const found = await readReviewTarget(given, reviewOptions(given));
  const { isFromFork, base } = await findOrigin(given, found);
  const target = { ...found, run: { ...found.run, isFromFork } };
  // Whoever set up the pipeline may have forgotten it.
  const call = isFromFork ? untrusted(given, base) : given;
  const isTrial = call.options.dryRun;
  if (!isTrial) refuseNowhere(call, target);
  const content = await contentOrFailure(call, target, isTrial);
  if (isTrial) {
    const { fileUrl } = target;
    call.output.result(renderReviewMarkdown(content.document, reviewFacts(target, content), { fileUrl }));
    return reviewExitCode(call, content);
  }
  await call.finishing(async () => {
    await summarize(call, target, content);
    if (target.run.host) await postOrSay(call, target, content);
  });
  return reviewExitCode(call, content);
};

function reviewOptions(call: CommandCall<typeof reviewCommand>): ReviewOptions {
  return {
    ...{ host: call.options.host, repo: call.options.repo },
    ...{ pullRequest: call.options.pullRequest, commit: call.options.commit },
  };
}

function reviewExitCode(call: CommandCall<typeof reviewCommand>, { verdict }: ReviewContent): ExitCode {
  return verdict === "refused" ? exitCode.failed : planExitCode(verdict, call.options.detailedExitcode);
}

interface Origin {
  readonly isFromFork: boolean;
  /** The commit that it is proposed to, if the host was asked. */
  readonly base?: string;
}

/**
 * Where the change comes from. A job that was started by a comment or by hand has the rights of the repository, whatever it has checked
 * out, and its event does not say: the host is asked, and what it cannot say is not trusted.
 */
async function findOrigin(
  call: CommandCall<typeof reviewCommand>,
  { run, commit = "" }: ReviewTarget,
): Promise<Origin> {
  const { host, pullRequest: number, isFromFork } = run;
  if (isFromFork !== undefined) return { isFromFork };
  const what = number === undefined ? `commit ${commit}` : `pull request ${number}`;
  try {
    if (!host) throw new UsageError("no-host", "No repository is named.");
    const pulls = await onCodeHost(call, host, async (opened) =>
      number === undefined ? opened.pullRequestsOf(commit) : [await opened.pullRequest(number)],
    );
    const pull = pulls.find((one) => !one.isFromFork) ?? pulls[0];
    if (!pull)
      throw new UsageError("no-pull-request", "It belongs to no pull request: name one with --pull-request.");
    // Not its branch: in a job that checked out the fork, `origin` is the fork.
    return { isFromFork: pull.isFromFork, ...(pull.baseCommit ? { base: pull.baseCommit } : {}) };
  } catch (error) {
    if (call.signal.aborted || !(error instanceof Error)) throw error;
    call.output.warn(
      `Whether ${what} comes from a fork could not be found out, so it is read as if it did (--untrusted): ${error.message}`,
    );
    return { isFromFork: true };
  }
}

function untrusted(
  call: CommandCall<typeof reviewCommand>,
  base: string | undefined,
): CommandCall<typeof reviewCommand> {
  // It was read already, and it may be part of the change.
  if (call.options.envFile.length > 0)
    throw new UsageError(
      "usage",
      "--env-file cannot be used for a pull request from a fork: set the variables instead.",
    );
  const found = basesInCi(call.host).length > 0 ? undefined : base;
  return { ...call, options: { ...call.options, base: call.options.base ?? found, untrusted: true } };
}

function refuseNowhere(call: CommandCall<typeof reviewCommand>, { run }: ReviewTarget): void {
  if (run.host || summaryFiles(call, run).length > 0) return;
  throw new UsageError(
    "no-host",
    "This is no job of GitHub, GitLab, Gitea or Forgejo: say where to post with --repo and --pull-request, or use --dry-run.",
  );
}

async function contentOrFailure(
  call: CommandCall<typeof reviewCommand>,
  target: ReviewTarget,
  isTrial: boolean,
): Promise<ReviewContent> {
  try {
    const content = await makeReviewContent(call, { plan: call.options.plan });
    if (content.document.format === "avatarops/diagnostics") showDiagnostics(content.document, call.output);
    return content;
  } catch (error) {
    if (!isTrial && target.run.host && !call.signal.aborted)
      await postFailure(call, target).catch((failure: Error) =>
        call.output.warn(`The failure could not be reported on the pull request: ${failure.message}`),
      );
    throw error;
  }
}

/** Without a comment, as for a stranger's pull request, whose token can only read, what the summary shows is all, or else the log. */
async function postOrSay(
  call: CommandCall<typeof reviewCommand>,
  target: ReviewTarget,
  content: ReviewContent,
): Promise<void> {
  if (await isCommented(call, target, content)) return;
  // Gitea before 1.27 and Forgejo take a summary, and show it nowhere.
  const isLogged = target.run.host?.name === "gitea" || summaryFiles(call, target.run).length === 0;
  if (isLogged) call.output.result(wholeText(target, content));
}

async function isCommented(
  call: CommandCall<typeof reviewCommand>,
  target: ReviewTarget,
  content: ReviewContent,
): Promise<boolean> {
  try {
    return await post(call, target, content, call.output.result);
  } catch (error) {
    if (!(error instanceof HostSetupError && error.code === "no-token" && target.run.isFromFork)) throw error;
    call.output.info("There is no token for a comment, as is usual for a pull request from a fork.");
    return false;
  }
}

/** GitHub takes 1 MiB per step. */
const longestSummary = 1_000_000;

/** Adds the text to the job's summary, before anything is posted: it needs no token. */
async function summarize(
  call: CommandCall<typeof reviewCommand>,
  target: ReviewTarget,
  content: ReviewContent,
): Promise<void> {
  const text = wholeText(target, content);
  for (const file of summaryFiles(call, target.run)) {
    try {
      await appendFile(file, `${text}\n`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      call.output.warn(`The summary could not be written to ${file} (${code}).`);
    }
  }
}

/** The text as the run itself shows it: without a link to the run. */
function wholeText(target: ReviewTarget, content: ReviewContent): string {
  const facts = reviewFacts({ ...target, runUrl: undefined }, content);
  const { fileUrl } = target;
  return renderReviewMarkdown(content.document, facts, { limit: longestSummary, fileUrl, isWhole: true });
}

/** That of the CI, and the one of `--summary`. */
function summaryFiles(call: CommandCall<typeof reviewCommand>, run: ReviewTarget["run"]): string[] {
  const named = call.options.summary;
  return [
    ...(run.summaryFile === undefined ? [] : [run.summaryFile]),
    ...(named === undefined ? [] : [call.host.resolve(named)]),
  ];
}
