import { kindAt, openHistory, showObject } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { showCommand } from "../facts/team.js";

export const command: RunCommand<typeof showCommand> = async (call) => {
  const [address] = call.arguments;
  kindAt(address);
  const document = await showObject(await openHistory(call), address, call.options.at);
  const { output } = call;
  output.show(document);
  const missing = document.fields.filter((field) => field.missing !== undefined);
  for (const { field, missing: why } of missing)
    output.warn(`The ${field} of ${document.address} is not shown, because its text was not found: ${why}.`);
  return missing.length === 0 ? exitCode.done : exitCode.failed;
};
