import { UsageError } from "../../../base/diagnostics/index.js";
import { detectProjectDrift, loadProject } from "../../../operations/index.js";
import { isInFiles } from "../../../output/documents/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { driftCommand } from "../facts/team.js";
import { readProposalType } from "../proposal-options.js";

export const command: RunCommand<typeof driftCommand> = async (call) => {
  const { output } = call;
  const proposes = readProposalType(call.options);
  rejectConflictingOptions(call, proposes);
  // Here, `base` is the pull request's base branch. It is removed from the shared options, where `base` belongs to
  // `--untrusted`.
  const { base, ...options } = call.options;
  const { host, repo, remote, branch, here } = options;
  const context = { ...call, options };
  const document = await detectProjectDrift(context, await loadProject(context), {
    ...{ host, repo, remote, branch, base, onlyThisObject: here },
    proposes,
    named: [...new Set(call.arguments[0])],
  });
  output.show(document);
  if (document.summary.unreadable > 0) return exitCode.failed;
  const { objects, rotation_pending: rotated } = document;
  const isPending = rotated.length > 0 || objects.some((object) => !isInFiles(object));
  return isPending ? exitCode.changesPending : exitCode.done;
};

function rejectConflictingOptions(call: CommandCall<typeof driftCommand>, proposes?: string): void {
  const { target } = call.options;
  const createUsageError = (message: string) => new UsageError("usage", message);
  // With --target, drift of other objects stays undetected.
  if (target.length > 0 && proposes)
    throw createUsageError(`A drift ${proposes} covers the whole account. Remove --target.`);
  if (call.arguments[0].length > 0 && !proposes)
    throw createUsageError(
      "Addresses need --pull-request or --branch. To check only some objects, use --target.",
    );
}
