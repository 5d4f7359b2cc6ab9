import path from "node:path";
import { isSettledExit, type PlanExit, type ProjectEnvironment } from "../../output/documents/index.js";
import {
  prefixPaths,
  type ReviewSection,
  renderReviewsMarkdown,
  renderReviewsText,
} from "../../output/render/index.js";
import { type FindProjectsOptions, findProjects } from "../many-projects/find-projects.js";
import { createRepeatingReporter } from "../project/project-options.js";
import { toFailureDocument } from "../runtime/failure-document.js";
import { closeRuntime, type Runtime } from "../runtime/runtime.js";
import { listBasesInCi } from "../untrusted/base-in-ci.js";
import type { BaseTips } from "./merge-with-base.js";
import { isQuiet, planFailedStatus, type ReviewContent, toReviewFacts } from "./posting.js";
import {
  assertPostable,
  markUntrusted,
  publish,
  type RenderOnStdout,
  type RenderReview,
  type ReviewInput,
  reviewMerged,
} from "./review-project.js";
import { type ReviewOptions, type ReviewTarget, readReviewTarget } from "./target.js";

/** Result for one of several projects: its verdict, or the error. */
export type ProjectReview = ProjectEnvironment &
  ({ readonly verdict: PlanExit | "refused" } | { readonly error: unknown });

/**
 * Plans all selected projects one after another. Posts one comment for all of them, and a status for each.
 *
 * @param whole Target for the current folder.
 * @throws UsageError, HostError, HostSetupError.
 */
export async function reviewAll(
  given: Runtime,
  whole: ReviewTarget,
  options: ReviewOptions & FindProjectsOptions,
  input: Omit<ReviewInput, "plan">,
): Promise<{ readonly reviews: readonly ProjectReview[]; readonly render?: RenderOnStdout | undefined }> {
  const runtime = whole.run.isFromFork ? markUntrusted(given, whole.base) : given;
  assertPostable(runtime, whole, input);
  // A job started by a comment has no base in its environment.
  const base = listBasesInCi(runtime.host).length > 0 ? undefined : whole.base;
  const found = await findProjects(runtime, { ...options, changedSince: options.changedSince ?? base });
  const folder = path.posix.dirname(whole.reviewed.project);
  const tips: BaseTips = new Map();
  const reviews: ProjectReview[] = [];
  const sections: ReviewSection[] = [];
  const sectionsInLog: ReviewSection[] = [];
  const reviewed: (readonly [ReviewTarget, ReviewContent | typeof planFailedStatus])[] = [];
  for (const at of found.chosen) {
    runtime.signal.throwIfAborted();
    const named = { ...runtime.options, file: at.project, env: at.environment };
    const target = await readReviewTarget({ ...runtime, options: named }, options);
    const output = createRepeatingReporter(runtime.output, target.repeated);
    const one = { ...runtime, output, opened: {}, options: named };
    try {
      const content = await reviewMerged(one, target, input, tips);
      reviews.push({ ...at, verdict: content.verdict });
      reviewed.push([target, content]);
      sections.push(toSection(target, content, folder));
      sectionsInLog.push(toSection({ ...target, ...target.forLog }, content, folder));
    } catch (error) {
      if (runtime.signal.aborted) throw error;
      const { code } = toFailureDocument(error, runtime.signal);
      reviews.push({ ...at, error });
      reviewed.push([target, planFailedStatus]);
      const section = { ...target.reviewed, counts: `${planFailedStatus.counts} (${code})` };
      sections.push(section);
      sectionsInLog.push(section);
    } finally {
      await closeRuntime(one);
    }
  }
  const contents = reviewed.flatMap(([, content]) => ("verdict" in content ? [content] : []));
  // All projects share the same base.
  const merged = contents.find((one) => one.base?.behind && one.base.problem === undefined)?.base;
  const render: RenderReview = ({ head, others, runUrl, ...size }) => {
    const facts = toReviewFacts({ ...whole, runUrl }, { base: merged }, { head, others });
    return renderReviewsMarkdown(found.head, sections, facts, size);
  };
  // Runs with other patterns or environments have separate comments.
  const { path: patterns = [], environments = [] } = options;
  const together = { project: [`${folder}/*`, ...patterns].join(" "), environment: environments.join(" ") };
  const shown = await publish(runtime, { ...whole, reviewed: together }, input, render, {
    reviewed,
    renderText: (options) =>
      renderReviewsText(found.head, sectionsInLog, toReviewFacts(whole, { base: merged }), options),
    isOnlyUpdate:
      found.head.deleted.length === 0 && contents.length === reviewed.length && contents.every(isQuiet),
  });
  return { reviews, render: shown };
}

/**
 * Converts a review to a section with paths relative to the repository root, because several projects may contain files
 * with the same name.
 */
function toSection(target: ReviewTarget, content: ReviewContent, current: string): ReviewSection {
  const { document, partials, counts, verdict } = content;
  const { reviewed, fileUrl } = target;
  const folder = path.posix.dirname(reviewed.project);
  return {
    ...reviewed,
    counts,
    isQuiet: isSettledExit(verdict) && !("policies" in document),
    // Paths in diagnostics are relative to the current folder.
    document: prefixPaths(document, document.format === "avatarops/plan" ? folder : current),
    partials: partials?.map(({ file, renamedFrom, ...partial }) => ({
      ...partial,
      file: path.posix.join(folder, file),
      renamedFrom: renamedFrom && path.posix.join(folder, renamedFrom),
    })),
    facts: { ...toReviewFacts(target, content), commit: undefined, runUrl: undefined },
    fileUrl: fileUrl && ((file, line) => fileUrl(path.posix.relative(folder, file), line)),
  };
}
