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
  const answered = await runCommentCommand(call, options);
  if (answered.did === "ignored") return exitCode.done;
  if (answered.did === "refused") return exitCode.failed;
  if (answered.did === "plan")
    return answered.verdict === "refused" ? exitCode.failed : planExitCode(answered.verdict, false);
  const { outcome, smoke } = answered.applied;
  return outcomeExitCode(outcomeExit(outcome)) || (smoke ? smokeExitCode(smoke.exit) : exitCode.done);
};
