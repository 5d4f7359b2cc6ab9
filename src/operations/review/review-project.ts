import { appendFile } from "node:fs/promises";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  type PlanMarkdownOptions,
  type ReviewFacts,
  renderReviewMarkdown,
  renderReviewText,
  type TextOptions,
} from "../../output/render/index.js";
import { defaultBranch } from "../project/applied-branch.js";
import { onCodeHost } from "../project/code-host.js";
import type { Runtime } from "../runtime/runtime.js";
import { basesInCi } from "../untrusted/base-in-ci.js";
import { makeReviewContent } from "./content.js";
import { type BaseTips, withMergedBase } from "./merge-with-base.js";
import {
  type FoundFacts,
  isQuiet,
  post,
  postFailure,
  type ReviewComment,
  type ReviewContent,
  reviewFacts,
} from "./posting.js";
import type { ReviewTarget } from "./target.js";

/** What is posted. */
export interface ReviewInput {
  /** A saved plan; default: a new one. */
  readonly plan?: string | undefined;
  /** Nothing is posted. */
  readonly dryRun?: boolean | undefined;
  /** A file that gets the text, too. */
  readonly summary?: string | undefined;
  /** Gets the address of the comment. */
  onPosted(url: string): void;
}

/**
 * Plans a project and posts the plan, or what is wrong with the files. A change from a fork is read as untrusted: whoever set
 * up the pipeline may have forgotten to say so.
 *
 * @returns with `render`: the review for stdout, if it is shown nowhere else.
 * @throws UsageError, HostError, HostSetupError; what planning throws, after the failure was posted.
 */
export async function reviewProject(
  given: Runtime,
  target: ReviewTarget,
  input: ReviewInput,
): Promise<Pick<ReviewContent, "verdict"> & { readonly render?: RenderOnStdout | undefined }> {
  const { run, fileUrl } = target;
  const runtime = run.isFromFork ? asUntrusted(given, target.base) : given;
  refuseNowhere(runtime, target, input);
  const content = await reviewMerged(runtime, target, input).catch(async (error: unknown) => {
    if (!input.dryRun && run.host && !runtime.signal.aborted)
      await postFailure(runtime, target).catch((failure: Error) =>
        runtime.output.warn(`The failure could not be reported on the pull request: ${failure.message}`),
      );
    throw error;
  });
  const { document, partials, verdict, digest } = content;
  const render: RenderReview = ({ head, others, runUrl, ...size }) =>
    renderReviewMarkdown(document, reviewFacts({ ...target, runUrl }, content, { head, others }), {
      ...{ fileUrl, partials },
      ...size,
    });
  const comment = {
    ...{ reviewed: [[target, content] as const], digest, isOnlyUpdate: isQuiet(content) },
    renderText: (options: TextOptions) =>
      renderReviewText(document, reviewFacts({ ...target, ...target.here }, content), options),
  };
  return { verdict, render: await publish(runtime, target, input, render, comment) };
}

/** Markdown for a dry run, otherwise text: logs show no Markdown. */
export type RenderOnStdout = (options: TextOptions) => string;

/** Renders a review. */
export type RenderReview = (
  options: FoundFacts & Pick<ReviewFacts, "runUrl"> & PlanMarkdownOptions,
) => string;

/** @throws UsageError if there is no place for a review. */
export function refuseNowhere(runtime: Runtime, target: ReviewTarget, input: ReviewInput): void {
  if (input.dryRun || target.run.host || summaryFiles(runtime, target, input).length > 0) return;
  throw new UsageError(
    "no-host",
    "This is not a job of GitHub, GitLab, Gitea or Forgejo: say where to post with --repo and --pull-request, or use --dry-run.",
  );
}

/** Adds the review to the summaries, and posts it; returns it if it is shown nowhere else. */
export async function publish(
  runtime: Runtime,
  target: ReviewTarget,
  input: ReviewInput,
  render: RenderReview,
  { renderText, ...comment }: Omit<ReviewComment, "render"> & { readonly renderText: RenderOnStdout },
): Promise<RenderOnStdout | undefined> {
  const { run, runUrl } = target;
  if (input.dryRun) return () => render({ runUrl });
  return runtime.finishing(async () => {
    const summaries = summaryFiles(runtime, target, input);
    if (summaries.length > 0) {
      // As the run itself shows it: without a link to the run.
      const text = render({ limit: longestSummary });
      // Before anything is posted: it needs no token.
      for (const file of summaries) await addSummary(runtime, file, text);
    }
    const shown: ReviewComment = {
      ...comment,
      render: (found, limit) => render({ ...found, runUrl, limit }),
    };
    if (!run.host || (await post(runtime, target, shown, input.onPosted))) return undefined;
    // Gitea before 1.27 and Forgejo take a summary, and show it nowhere.
    const isShown = run.host.name !== "gitea" && summaries.length > 0;
    return isShown ? undefined : renderText;
  });
}

/** The base is what the host says, unless CI or the user says it. */
export function asUntrusted(runtime: Runtime, found: string | undefined): Runtime {
  const base = runtime.options.base ?? (basesInCi(runtime.host).length > 0 ? undefined : found);
  return { ...runtime, options: { ...runtime.options, base, untrusted: true } };
}

/** The review of what the merge gives; reports what is wrong with the files. */
export async function reviewMerged(
  runtime: Runtime,
  target: ReviewTarget,
  { plan, dryRun }: Pick<ReviewInput, "plan" | "dryRun">,
  tips: BaseTips = new Map(),
): Promise<ReviewContent> {
  const branch = plan === undefined ? await findBaseBranch(runtime, target, dryRun) : undefined;
  const content = await withMergedBase(runtime, { branch, tips }, (merged, base) =>
    makeReviewContent(merged, { plan, base }),
  );
  if (content.document.format === "avatarops/diagnostics")
    runtime.output.diagnostics(content.document, { isFresh: true });
  return content;
}

/** The branch that the pull request is proposed to, as CI says, else the host; of a dry run, which asks no host, the usual one. */
async function findBaseBranch(
  runtime: Runtime,
  target: ReviewTarget,
  dryRun = false,
): Promise<string | undefined> {
  const { baseBranch, host, pullRequest } = target.run;
  if (baseBranch !== undefined) return baseBranch;
  // An untrusted change has its base already.
  if (dryRun) return runtime.options.untrusted ? undefined : defaultBranch(runtime);
  if (!host || pullRequest === undefined) return undefined;
  // What is wrong is said when the comment is posted.
  const asked = onCodeHost(runtime, host, (opened) => opened.pullRequest(pullRequest));
  return (await asked.catch(() => undefined))?.baseBranch;
}

/** GitHub takes 1 MiB per step. */
const longestSummary = 1_000_000;

async function addSummary({ output }: Runtime, file: string, text: string): Promise<void> {
  try {
    await appendFile(file, `${text}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    output.warn(`The summary could not be written to ${file} (${code}).`);
  }
}

/** That of the CI, and the one that is named. */
function summaryFiles({ host }: Runtime, { run }: ReviewTarget, { summary }: ReviewInput): string[] {
  return [run.summaryFile, summary && host.resolve(summary)].filter((file) => file !== undefined);
}
