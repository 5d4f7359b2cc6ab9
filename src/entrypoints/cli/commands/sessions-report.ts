import { openAccount, reportProject } from "../../../operations/index.js";
import type { SessionsReportDocument } from "../../../output/documents/index.js";
import { describeBudget, renderSessionsPage } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { sessionsReportCommand } from "../facts/sessions.js";
import type { Output } from "../output.js";

export const command: RunCommand<typeof sessionsReportCommand> = async (call) => {
  const document = await reportProject(call, await openAccount(call), call.options);
  show(call.output, document);
  return judge(document);
};

function show(output: Output, document: SessionsReportDocument): void {
  if (output.format === "html") output.writeResult(renderSessionsPage(document));
  else output.show(document);
  // Text output ends with the budget. Other formats may be redirected to a file, so the log must show why the command
  // failed.
  const budget = describeBudget(document);
  if (budget !== undefined && output.format !== "text" && judge(document) !== exitCode.done)
    output.warn(budget);
}

/** Returns the exit code. Fails if the budget could not be checked, because it may be exceeded. */
function judge({ budget }: SessionsReportDocument): ExitCode {
  if (budget?.status === "exceeded") return exitCode.undecided;
  return budget?.status === "unknown" ? exitCode.failed : exitCode.done;
}
