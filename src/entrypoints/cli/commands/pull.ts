import { isShared, loadProject, pullProject } from "../../../operations/index.js";
import { pullDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { pullCommand } from "../facts/project.js";

export const command: RunCommand<typeof pullCommand> = async (call) => {
  const { output } = call;
  const project = await loadProject(call);
  const named = [...new Set(call.arguments[0])];
  const { dryRun } = call.options;
  const { fields, refused } = await pullProject(call, project, { named, dryRun });
  const pulled = fields.map(({ declaration: { address }, field, edit }) => ({
    ...{ address, field, file: edit.origin.file },
  }));
  const document = pullDocument(pulled, refused, { dryRun });
  output.show(document);
  if (fields.some((field) => isShared(project, field)))
    output.info("The pull changed texts outside the environment: other environments may use them too.");
  if (refused.length === 0) return exitCode.done;
  return pulled.length > 0 ? exitCode.partly : exitCode.failed;
};
