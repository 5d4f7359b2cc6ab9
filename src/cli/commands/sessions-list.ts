import { readOnly } from "../../api/index.js";
import { sessionsDocument } from "../../documents/index.js";
import { renderJson, renderSessionsMarkdown, renderSessionsText } from "../../render/index.js";
import { reportSessions } from "../../sessions/index.js";
import type { RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { exitCode } from "../exit-code.js";
import { queryOf } from "../period.js";
import { showReading } from "../progress.js";
import { loadProject } from "../project.js";

export const command: RunCommand = async (call) => {
  const { output } = call;
  const manifest = await loadProject(call);
  const report = await withService(call, manifest, (service) =>
    showReading(call, service, async () => reportSessions(readOnly(service), await queryOf(call, service))),
  );
  const document = sessionsDocument(report);
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "markdown") output.result(renderSessionsMarkdown(document));
  else output.result(renderSessionsText(document, output.stdoutText));
  return exitCode.done;
};
