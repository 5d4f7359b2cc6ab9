import { promote } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import type { promoteCommand } from "../facts/team.js";

export const command: RunCommand<typeof promoteCommand> = async (call) => {
  const { from, to } = call.options;
  const { files, left } = await promote(call, call.arguments[0], { from, to });
  const next = `Wrote ${files.join(", ")}. Next: \`avatarops plan --env ${to}\`.`;
  call.output.info(files.length > 0 ? next : `${to} already has the texts of ${from}, except for variables.`);
  if (left.length === 0) return;
  call.output.info(
    `${from} and ${to} still differ in ${left.join(", ")}, because promote copies only texts that ${from} has. Change the other fields in the files.`,
  );
};
