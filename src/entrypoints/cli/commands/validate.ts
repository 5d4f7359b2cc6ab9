import { loadFiles, withRelativePlaces } from "../../../operations/index.js";
import { diagnosticsDocument } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { validateCommand } from "../facts/project.js";

export const command: RunCommand<typeof validateCommand> = async (call) => {
  const { output } = call;
  const { diagnostics, files, manifest } = await loadFiles(call, { judges: true });
  const document = diagnosticsDocument(withRelativePlaces(call, diagnostics));
  if (diagnostics.length > 0 || output.format !== "text") output.show(document);
  if (!document.valid) return exitCode.failed;
  const count = manifest?.declarations.length ?? 0;
  output.info(
    `Valid: ${count} ${count === 1 ? "object" : "objects"} in ${files.length} ${files.length === 1 ? "file" : "files"}.`,
  );
  return exitCode.done;
};
