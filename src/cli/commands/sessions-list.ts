import { readOnly } from "../../api/index.js";
import { sessionsDocument } from "../../documents/index.js";
import { renderJson, renderSessionsMarkdown, renderSessionsText } from "../../render/index.js";
import { reportSessions } from "../../sessions/index.js";
import { type RunCommand, textOption } from "../command.js";
import { withService } from "../connect.js";
import { exitCode } from "../exit-code.js";
import { showReading } from "../progress.js";
import { loadProject } from "../project.js";

export const command: RunCommand = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const type = textOption(call, "type") === "historic" ? "historic" : "active";
  const report = await withService(call, manifest, (service) =>
    showReading(call, service, () => reportSessions(readOnly(service), { type })),
  );
  const document = sessionsDocument(report);
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "markdown") output.result(renderSessionsMarkdown(document));
  else output.result(renderSessionsText(document, output.stdoutText));
  return exitCode.done;
};
