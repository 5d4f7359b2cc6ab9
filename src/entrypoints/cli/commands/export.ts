import { type ExportResult, exportAccount, inFolder, shellWord } from "../../../operations/index.js";
import { exportDocument } from "../../../output/documents/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { addEditorSupport } from "../editor-support.js";
import { exitCode } from "../exit-code.js";
import type { exportCommand } from "../facts/project.js";

export const command: RunCommand<typeof exportCommand> = async (call) => {
  const folder = call.host.resolve(call.arguments[0]);
  const { typescript, profile } = call.options;
  const exported = await exportAccount(call, { folder, typescript, profile });
  const { advice } = await call.finishing(() =>
    inFolder(folder, () => addEditorSupport(folder, { yaml: !typescript })),
  );
  for (const sentence of advice) call.output.info(sentence);
  show(call, exported);
  return exported.unread.length > 0 ? exitCode.partly : exitCode.done;
};

function show(call: CommandCall<typeof exportCommand>, exported: ExportResult): void {
  const { objects, leftOut: caveats, unread, files, service } = exported;
  const { output } = call;
  const leftOut = [...caveats, ...unread];
  const shown = objects.map(({ address, id, label }) => ({ address, id, label }));
  const folder = call.arguments[0];
  if (output.format === "json") {
    output.document(exportDocument({ service, files, objects: shown, left_out: leftOut }));
  } else {
    const counts = `${objects.length} ${objects.length === 1 ? "object" : "objects"} in ${files.length} ${files.length === 1 ? "file" : "files"}`;
    output.result(`Exported ${counts} to ${folder}.`);
  }
  for (const sentence of leftOut) output.warn(sentence);
  output.info(
    `Next: run \`cd ${shellWord(folder)}\` and \`avatarops plan\`. The plan is empty until a file or the account changes.`,
  );
}
