import { fetchQuietly, openRepository } from "../../base/git/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { CodeHostOptions } from "../project/code-host.js";
import { createRepeatingReporter } from "../project/project-options.js";
import { closeRuntime, createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
import { withWorkTree } from "./merge-with-base.js";
import { reviewProject } from "./review-project.js";
import { readReviewTarget } from "./target.js";

/** Proposed pull request, with the environments it changes. */
export interface ReviewedProposal {
  readonly number: number;
  /** Head commit, created by this run or an earlier one. */
  readonly commit: string;
  /** Changed environments. Contains undefined for a project without environments. */
  readonly environments: Iterable<string | undefined>;
}

/**
 * Plans a proposed pull request, because a pull request opened with a job token does not start jobs. A failure is only
 * a warning, because the pull request is already open.
 */
export async function reviewProposed(
  runtime: Runtime,
  project: Manifest,
  { host, repo, remote = "origin" }: CodeHostOptions & { readonly remote?: string | undefined },
  { number, commit, environments }: ReviewedProposal,
): Promise<void> {
  const { output, signal } = runtime;
  const { environment } = runtime.host;
  for (const env of environments) {
    const which = `Pull request #${number}${env === undefined ? "" : ` for ${env}`}`;
    const options = { ...runtime.options, env };
    const reporter = createRepeatingReporter(output, { env: env === undefined ? env : quoteShellWord(env) });
    const one = { ...runtime, options, output: createQuietReporter(reporter.warn), opened: {} };
    try {
      const repository = await openRepository({ folder: project.root, environment, signal });
      await fetchQuietly(repository, remote, [commit]);
      await withWorkTree(one, repository, { commit, project }, async (there) => {
        const target = await readReviewTarget(there, { host, repo, pullRequest: number, commit });
        await reviewProject(there, target, {
          onPosted: (url) => output.info(`${which} was planned: ${url}`),
        });
      });
    } catch (error) {
      if (signal.aborted) throw error;
      reporter.warn(`${which} could not be reviewed: ${(error as Error).message}`);
    } finally {
      await closeRuntime(one);
    }
  }
}
