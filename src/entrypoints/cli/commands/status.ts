import { projectStatus } from "../../../operations/index.js";
import type { RunCommand } from "../command.js";
import { planExitCode } from "../exit-code.js";
import type { statusCommand } from "../facts/project.js";

export const command: RunCommand<typeof statusCommand> = async (call) => {
  const document = await projectStatus(call);
  call.output.show(document);
  return planExitCode(document.exit, true);
};
