import { openAccount, reportProject } from "../../../operations/index.js";
import type { SessionsReportDocument } from "../../../output/documents/index.js";
import { budgetSentence, renderSessionsPage } from "../../../output/render/index.js";
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
  if (output.format === "html") output.result(renderSessionsPage(document));
  else output.show(document);
  // In a terminal it is the last line of the result. A result in a file is not looked at by whom an exit code wakes.
  const budget = budgetSentence(document);
  if (budget !== undefined && output.format !== "text" && judge(document) !== exitCode.done)
    output.warn(budget);
}

/** A budget that is not known to be kept must not look like one that is. */
function judge({ budget }: SessionsReportDocument): ExitCode {
  if (budget?.status === "exceeded") return exitCode.changesPending;
  return budget?.status === "unknown" ? exitCode.failed : exitCode.done;
}
