import { driftDocument } from "../../documents/index.js";
import { renderDriftMarkdown, renderDriftText, renderJson } from "../../render/index.js";
import { type Call, isOn, listOption, type RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { observeDrift } from "../drift/observing.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { UsageError } from "../failure.js";
import { loadProject } from "../project.js";
import { placesIn } from "../show-plan.js";

export const command: RunCommand = async (call) => {
  refuseTargets(call);
  const manifest = await loadProject(call);
  return withService(call, manifest, async (service): Promise<ExitCode> => {
    const { state, ...seen } = await observeDrift(call, manifest, service);
    const { environment } = manifest;
    const document = driftDocument(
      { ...seen, state, service: service.baseUrl, ...(environment === undefined ? {} : { environment }) },
      placesIn(manifest),
    );
    const { output } = call;
    if (output.format === "json") output.result(renderJson(document));
    else if (output.format === "markdown") output.result(renderDriftMarkdown(document));
    else output.result(renderDriftText(document, output.stdoutText));
    if (document.summary.unreadable > 0) return exitCode.failed;
    return document.drifted ? exitCode.changesPending : exitCode.done;
  });
};

/** What is asked of some objects cannot tell which others nobody declares. */
function refuseTargets(call: Call): void {
  if (!isOn(call, "undeclared") || listOption(call, "target").length === 0) return;
  throw new UsageError("usage", "--undeclared covers the whole account: remove --target.");
}
