import { UsageError } from "../../../base/diagnostics/index.js";
import { findReviewTarget, type ProjectReview, reviewAll, reviewProject } from "../../../operations/index.js";
import { rejectSingleProjectOptions, toProjectCall, withOptions } from "../all.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode, pickWorstExitCode, toPlanExitCode } from "../exit-code.js";
import type { reviewCommand } from "../facts/team.js";
import { showFailure } from "../show-failure.js";

type ReviewCall = CommandCall<typeof reviewCommand>;

export const command: RunCommand<typeof reviewCommand> = async (given) => {
  const { output, options } = given;
  const call = options.all
    ? withOptions<ReviewCall>(given, { env: undefined })
    : toProjectCall<ReviewCall>(given);
  if (options.all)
    rejectSingleProjectOptions(given, { "--plan": options.plan, "--target": options.target[0] });
  const target = await findReviewTarget(call, options);
  // Checked only here, because only the review target shows whether the file may come from a fork.
  if (target.run.isFromFork && options.dotenv.length > 0)
    throw new UsageError(
      "usage",
      "--dotenv cannot be used for a fork's pull request. Set the variables in the environment instead.",
    );
  const toExitCode = (verdict: Parameters<typeof toPlanExitCode>[0] | "refused"): ExitCode =>
    verdict === "refused" ? exitCode.failed : toPlanExitCode(verdict, options.detailedExitcode);
  const input = { ...options, onPosted: output.writeResult };
  if (!options.all) {
    const { verdict, render } = await reviewProject(call, target, input);
    if (render) output.writeResult(render(output.stdoutText));
    return toExitCode(verdict);
  }
  const { reviews, render } = await reviewAll(call, target, { ...options, environments: options.env }, input);
  const toSingleExitCode = (one: ProjectReview): ExitCode => {
    if ("verdict" in one) return toExitCode(one.verdict);
    output.warn(`${[one.project, one.environment].filter(Boolean).join(" ")} could not be planned:`);
    const own = output.forProject({ file: one.project, env: one.environment });
    return showFailure(one.error, own, call.signal);
  };
  if (render) output.writeResult(render(output.stdoutText));
  return pickWorstExitCode(reviews.map(toSingleExitCode));
};
