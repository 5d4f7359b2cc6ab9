import { loadFiles, withRelativeLocations } from "../../../operations/index.js";
import { toDiagnosticsDocument } from "../../../output/documents/index.js";
import { formatCount } from "../../../output/render/index.js";
import { type ProjectCall, runForAll, toProjectCall } from "../all.js";
import type { CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { validateCommand } from "../facts/project.js";

type ValidateCall = CommandCall<typeof validateCommand>;

export const command: RunCommand<typeof validateCommand> = (call) =>
  call.options.all
    ? runForAll<ValidateCall>(call, validate, { ignoresEnvironment: true })
    : validate(toProjectCall(call));

async function validate(call: ProjectCall<ValidateCall>): Promise<ExitCode> {
  const { output } = call;
  const { diagnostics, files, manifest } = await loadFiles(call, { judges: true, checksState: true });
  const document = toDiagnosticsDocument(withRelativeLocations(call, diagnostics));
  if (diagnostics.length > 0 || output.format !== "text" || call.options.all) output.show(document);
  if (!document.valid) return exitCode.failed;
  const objects = formatCount(manifest?.declarations.length ?? 0, "object");
  output.info(`Valid: ${objects} in ${formatCount(files.length, "file")}.`);
  return exitCode.done;
}
