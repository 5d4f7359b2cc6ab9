import { loadProject, releaseProject } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { releaseCommand } from "../facts/team.js";

export const command: RunCommand<typeof releaseCommand> = async (call) => {
  const released = await releaseProject(call, await loadProject(call), [...new Set(call.arguments[0])]);
  const lines = released.map(({ addresses, reason }) => {
    const what = addresses?.join(", ") ?? "All objects";
    return visible(`No longer on hold: ${what} (${reason})`);
  });
  call.output.result(lines.join("\n") || "Nothing is on hold.");
  return exitCode.done;
};
