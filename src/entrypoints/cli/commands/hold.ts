import { UsageError } from "../../../base/diagnostics/index.js";
import { describeHold } from "../../../core/state/index.js";
import { holdProject, loadProject } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { holdCommand } from "../facts/team.js";

export const command: RunCommand<typeof holdCommand> = async (call) => {
  const { reason, until } = call.options;
  if (reason === undefined)
    throw new UsageError("usage", 'Say why, for whoever wonders: --reason "checking the answers".');
  const hold = await holdProject(call, await loadProject(call), {
    ...{ reason, until },
    addresses: call.arguments[0],
  });
  const what = hold.addresses?.join(", ") ?? "All objects";
  call.output.result(visible(`On hold: ${what}, ${describeHold(hold)}`));
  call.output.info("To end it: `avatarops release`.");
  return exitCode.done;
};
