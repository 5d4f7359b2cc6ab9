import { appendFile } from "node:fs/promises";
import { UsageError } from "../../base/diagnostics/index.js";
import {
  type PlanMarkdownOptions,
  type ReviewFacts,
  renderReviewMarkdown,
  renderReviewText,
  type TextOptions,
} from "../../output/render/index.js";
import { findDefaultBranch } from "../project/applied-branch.js";
import { withRepositoryHost } from "../project/code-host.js";
import type { Runtime } from "../runtime/runtime.js";
import { listBasesInCi } from "../untrusted/base-in-ci.js";
import { type BaseTips, withMergedBase } from "./merge-with-base.js";
import {
  type CommentFacts,
  isQuiet,
  post,
  postFailure,
  type ReviewComment,
  type ReviewContent,
  toReviewFacts,
} from "./posting.js";
import { makeReviewContent } from "./review-content.js";
import type { ReviewTarget } from "./target.js";

/** Options for posting a review. */
export interface ReviewInput {
  /** Saved plan file. Default: makes a new plan. */
  readonly plan?: string | undefined;
  /** Whether to skip posting. */
  readonly dryRun?: boolean | undefined;
  /** File to append the review to. */
  readonly summary?: string | undefined;
  /** Called with the comment's URL. */
  onPosted(url: string): void;
}

/**
 * Plans a project, and posts the plan or the errors in the files. A change from a fork is always read as untrusted,
 * even without `--untrusted`.
 *
 * @returns `render` with the review for stdout, unless the review is shown elsewhere.
 * @throws UsageError, HostError, HostSetupError; errors from planning, after the failure was posted.
 */
export async function reviewProject(
  given: Runtime,
  target: ReviewTarget,
  input: ReviewInput,
): Promise<Pick<ReviewContent, "verdict"> & { readonly render?: RenderOnStdout | undefined }> {
  const { run, fileUrl } = target;
  const runtime = run.isFromFork ? markUntrusted(given, target.base) : given;
  assertPostable(runtime, target, input);
  const content = await reviewMerged(runtime, target, input).catch(async (error: unknown) => {
    if (!input.dryRun && run.host && !runtime.signal.aborted)
      await postFailure(runtime, target).catch((failure: Error) =>
        runtime.output.warn(`The failure could not be reported on the pull request: ${failure.message}`),
      );
    throw error;
  });
  const { document, partials, verdict, digest } = content;
  const render: RenderReview = ({ head, others, runUrl, ...size }) =>
    renderReviewMarkdown(document, toReviewFacts({ ...target, runUrl }, content, { head, others }), {
      ...{ fileUrl, partials },
      ...size,
    });
  const comment = {
    ...{ reviewed: [[target, content] as const], digest, isOnlyUpdate: isQuiet(content) },
    renderText: (options: TextOptions) =>
      renderReviewText(document, toReviewFacts({ ...target, ...target.forLog }, content), options),
  };
  return { verdict, render: await publish(runtime, target, input, render, comment) };
}

/** Renders Markdown for a dry run, and plain text in other runs, because logs do not show Markdown. */
export type RenderOnStdout = (options: TextOptions) => string;

export type RenderReview = (
  options: CommentFacts & Pick<ReviewFacts, "runUrl"> & PlanMarkdownOptions,
) => string;

/** @throws UsageError if there is nowhere to post a review. */
export function assertPostable(runtime: Runtime, target: ReviewTarget, input: ReviewInput): void {
  if (input.dryRun || target.run.host || listSummaryFiles(runtime, target, input).length > 0) return;
  throw new UsageError(
    "no-host",
    "This is not a GitHub, GitLab, Gitea or Forgejo job. Choose where to post with --repo and --pull-request, or use --dry-run.",
  );
}

/**
 * Adds the review to the summaries, and posts it. Returns the text for stdout, unless the review is shown elsewhere.
 */
export async function publish(
  runtime: Runtime,
  target: ReviewTarget,
  input: ReviewInput,
  render: RenderReview,
  { renderText, ...comment }: Omit<ReviewComment, "render"> & { readonly renderText: RenderOnStdout },
): Promise<RenderOnStdout | undefined> {
  const { run, runUrl } = target;
  if (input.dryRun) return () => render({ runUrl });
  return runtime.runToEnd(async () => {
    const summaries = listSummaryFiles(runtime, target, input);
    if (summaries.length > 0) {
      // The summary is part of the CI job's page, so the summary does not link to that page.
      const text = render({ limit: maxSummaryBytes });
      // Writes the summaries first, because they need no token.
      for (const file of summaries) await addSummary(runtime, file, text);
    }
    const shown: ReviewComment = {
      ...comment,
      render: (found, limit) => render({ ...found, runUrl, limit }),
    };
    if (!run.host || (await post(runtime, target, shown, input.onPosted))) return undefined;
    // Gitea before 1.27 and Forgejo accept a summary without showing it.
    const isShown = run.host.name !== "gitea" && summaries.length > 0;
    return isShown ? undefined : renderText;
  });
}

/** Marks a run as untrusted. The base comes from the user, CI or the host, in this order. */
export function markUntrusted(runtime: Runtime, found: string | undefined): Runtime {
  const base = runtime.options.base ?? (listBasesInCi(runtime.host).length > 0 ? undefined : found);
  return { ...runtime, options: { ...runtime.options, base, untrusted: true } };
}

/** Makes the review of the merged change, and reports errors in the files. */
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

/**
 * Finds the target branch from CI, or else from the host. A dry run sends no requests, and uses the default branch.
 *
 * @throws HostError, HostSetupError, because a plan without the base would revert its commits.
 */
async function findBaseBranch(
  runtime: Runtime,
  target: ReviewTarget,
  dryRun = false,
): Promise<string | undefined> {
  const { baseBranch, host, pullRequest } = target.run;
  if (baseBranch !== undefined) return baseBranch;
  // An untrusted change already has a base.
  if (dryRun) return runtime.options.untrusted ? undefined : findDefaultBranch(runtime);
  if (!host || pullRequest === undefined) return undefined;
  const asked = withRepositoryHost(runtime, host, async (opened) => {
    const found = await opened.getPullRequest(pullRequest);
    return found.baseBranch;
  });
  // An untrusted change already has a base commit, and its job may have no token.
  return runtime.options.untrusted ? asked.catch(() => undefined) : asked;
}

/** Maximum summary size. GitHub accepts 1 MiB per step. */
const maxSummaryBytes = 1_000_000;

async function addSummary({ output }: Runtime, file: string, text: string): Promise<void> {
  try {
    await appendFile(file, `${text}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    output.warn(`The summary could not be written to ${file} (${code}).`);
  }
}

/** Returns the summary files from CI and from the option. */
function listSummaryFiles({ host }: Runtime, { run }: ReviewTarget, { summary }: ReviewInput): string[] {
  return [run.summaryFile, summary && host.resolve(summary)].filter((file) => file !== undefined);
}
