import { UsageError } from "../../../base/diagnostics/index.js";
import { runCommentCommand } from "../../../operations/index.js";
import { outcomeExit } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode, outcomeExitCode, planExitCode, smokeExitCode } from "../exit-code.js";
import type { commentCommand } from "../facts/comment.js";

export const command: RunCommand<typeof commentCommand> = async (call) => {
  const { options } = call;
  // It may be part of a stranger's change.
  if (options.envFile.length > 0)
    throw new UsageError("usage", "--env-file cannot be used with comments: set the variables instead.");
  const result = await runCommentCommand(call, options);
  if (result.did === "ignored") return exitCode.done;
  if (result.did === "refused") return exitCode.failed;
  if (result.did === "plan")
    return result.verdict === "refused" ? exitCode.failed : planExitCode(result.verdict, false);
  const { outcome, smoke } = result.applied;
  return outcomeExitCode(outcomeExit(outcome)) || (smoke ? smokeExitCode(smoke.exit) : exitCode.done);
};
