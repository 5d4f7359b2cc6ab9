import { UsageError } from "../../../base/diagnostics/index.js";
import { findReviewTarget, reviewProject } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import { exitCode, planExitCode } from "../exit-code.js";
import type { reviewCommand } from "../facts/team.js";

export const command: RunCommand<typeof reviewCommand> = async (call) => {
  const { output, options } = call;
  const target = await findReviewTarget(call, options);
  // It was read already, and it may be part of the change.
  if (target.run.isFromFork && options.envFile.length > 0)
    throw new UsageError(
      "usage",
      "--env-file cannot be used for a pull request from a fork: set the variables instead.",
    );
  const { verdict, text } = await reviewProject(call, target, { ...options, onPosted: output.result });
  if (text !== undefined) output.result(text);
  return verdict === "refused" ? exitCode.failed : planExitCode(verdict, options.detailedExitcode);
};
