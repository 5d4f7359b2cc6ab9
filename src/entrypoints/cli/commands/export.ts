import { exportAccount, inFolder, shellWord } from "../../../operations/index.js";
import { exportDocument } from "../../../output/documents/index.js";
import { count } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { addEditorSupport } from "../editor-support.js";
import { exitCode } from "../exit-code.js";
import type { exportCommand } from "../facts/project.js";

export const command: RunCommand<typeof exportCommand> = async (call) => {
  const { output } = call;
  const [named] = call.arguments;
  const folder = call.host.resolve(named);
  const { typescript, profile } = call.options;
  const exported = await exportAccount(call, { folder, typescript, profile });
  const { advice } = await call.finishing(() =>
    inFolder(folder, () => addEditorSupport(folder, { yaml: !typescript })),
  );
  for (const sentence of advice) output.info(sentence);
  const { objects, leftOut: caveats, unread, files, service } = exported;
  const leftOut = [...caveats, ...unread];
  const shown = objects.map(({ address, id, label }) => ({ address, id, label }));
  if (output.format === "json") {
    output.document(exportDocument({ service, files, objects: shown, left_out: leftOut }));
  } else {
    const counts = `${count(objects.length, "object")} in ${count(files.length, "file")}`;
    output.result(`Exported ${counts} to ${named}.`);
  }
  for (const sentence of leftOut) output.warn(sentence);
  output.info(
    `Next: run \`cd ${shellWord(named)}\` and \`avatarops plan\`. The plan is empty until a file or the account changes.`,
  );
  return unread.length > 0 ? exitCode.partly : exitCode.done;
};
