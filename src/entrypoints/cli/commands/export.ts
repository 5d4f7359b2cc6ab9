import { exportAccount, quoteShellWord, runInFolder } from "../../../operations/index.js";
import { summarizeLeftOut } from "../../../output/documents/index.js";
import { formatCount } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { addEditorSupport } from "../editor-support.js";
import { exitCode } from "../exit-code.js";
import type { exportCommand } from "../facts/project.js";

export const command: RunCommand<typeof exportCommand> = async (call) => {
  const { output } = call;
  const [named] = call.arguments;
  const folder = call.host.resolve(named);
  const { document, isPartial } = await exportAccount(call, folder, call.options.profile);
  await call.runToEnd(() => runInFolder(folder, () => addEditorSupport(folder, "yaml")));
  if (output.format === "json") output.show(document);
  else {
    const { imported, files } = document;
    const counts = `${formatCount(imported.length, "object")} in ${formatCount(files.length, "file")}`;
    output.writeResult(`Exported ${counts} to ${named}.`);
  }
  for (const sentence of summarizeLeftOut(document)) output.warn(sentence);
  output.info(
    `Next: run \`cd ${quoteShellWord(named)}\` and \`avatarops plan\`. The plan is empty until a file or the account changes.`,
  );
  return isPartial ? exitCode.partly : exitCode.done;
};
