import { describeHold } from "../../../core/state/index.js";
import { holdProject, loadProject, releaseProject } from "../../../operations/index.js";
import { makeVisible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import type { holdCommand, releaseCommand } from "../facts/team.js";

export const hold: RunCommand<typeof holdCommand> = async (call) => {
  const { reason, until } = call.options;
  const hold = await holdProject(call, await loadProject(call), {
    ...{ reason, until },
    addresses: call.arguments[0],
  });
  const what = hold.addresses?.join(", ") ?? "All objects";
  call.output.writeResult(makeVisible(`On hold: ${what}${hold.until ? "," : ""} ${describeHold(hold)}`));
  call.output.info(
    makeVisible(`To end the hold: \`${["avatarops release", ...(hold.addresses ?? [])].join(" ")}\`.`),
  );
};

export const release: RunCommand<typeof releaseCommand> = async (call) => {
  const released = await releaseProject(call, await loadProject(call), [...new Set(call.arguments[0])]);
  const lines = released.map(({ addresses, reason }) => {
    const what = addresses?.join(", ") ?? "All objects";
    return makeVisible(`No longer on hold: ${what} (${reason})`);
  });
  call.output.writeResult(lines.join("\n") || "Nothing is on hold.");
};
