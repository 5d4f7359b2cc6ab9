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
  const { talk } = call;
  const manifest = await loadProject(call);
  const type = textOption(call, "type") === "historic" ? "historic" : "active";
  const report = await withService(call, manifest, (service) =>
    showReading(call, service, () => reportSessions(readOnly(service), { type })),
  );
  const document = sessionsDocument(report);
  if (talk.format === "json") talk.print(renderJson(document));
  else if (talk.format === "markdown") talk.print(renderSessionsMarkdown(document));
  else talk.print(renderSessionsText(document, talk.page));
  return exitCode.done;
};
