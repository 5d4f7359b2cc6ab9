import { UsageError } from "../../../base/diagnostics/index.js";
import { detectProjectDrift, loadProject } from "../../../operations/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { driftCommand } from "../facts/team.js";

export const command: RunCommand<typeof driftCommand> = async (call) => {
  rejectConflictingOptions(call);
  const { output } = call;
  // This is the pull request's base. `--untrusted` has another option with this name.
  const { base, ...options } = call.options;
  const { host, repo, remote, branch, here, pullRequest } = options;
  const context = { ...call, options };
  const document = await detectProjectDrift(context, await loadProject(context), {
    ...{ host, repo, remote, branch, base, here },
    proposes: pullRequest ? "pull request" : undefined,
    named: [...new Set(call.arguments[0])],
  });
  output.show(document);
  if (document.summary.unreadable > 0) return exitCode.failed;
  const isPending = document.drifted || document.rotation_pending.length > 0;
  return isPending ? exitCode.changesPending : exitCode.done;
};

function rejectConflictingOptions(call: CommandCall<typeof driftCommand>): void {
  const { here, target, pullRequest } = call.options;
  const createUsageError = (message: string) => new UsageError("usage", message);
  // With --target, drift of other objects stays undetected.
  if (target.length > 0 && pullRequest)
    throw createUsageError("--pull-request covers the whole account. Remove --target.");
  if (call.arguments[0].length > 0 && !pullRequest)
    throw createUsageError("Addresses require --pull-request. To check only some objects, use --target.");
  if (here && !pullRequest)
    throw createUsageError("--here requires --pull-request. Add --pull-request, or remove --here.");
}
