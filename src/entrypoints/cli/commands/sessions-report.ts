import { UsageError } from "../../../base/diagnostics/index.js";
import { readOnly, type Service } from "../../../core/api/index.js";
import { deploymentGroups, openAccount, type Project, withService } from "../../../operations/index.js";
import { type SessionsReportDocument, sessionsReportDocument } from "../../../output/documents/index.js";
import {
  budgetSentence,
  renderJson,
  renderReportCsv,
  renderReportMarkdown,
  renderReportText,
  renderSessionsPage,
} from "../../../output/render/index.js";
import { groupBy, openCalendar, reportPeriod } from "../../../sessions/reports/index.js";
import type { Call, CommandCall, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { sessionsReportCommand } from "../facts/sessions.js";
import { readPeriod, serviceNow } from "../period.js";
import { showReading } from "../progress.js";

type ReportCall = CommandCall<typeof sessionsReportCommand>;

export const command: RunCommand<typeof sessionsReportCommand> = async (call) => {
  const project = await openAccount(call);
  const document = await withService(call, project, (service) =>
    showReading(call, service, () => makeReport(call, project, readOnly(service))),
  );
  show(call, document);
  return judge(document);
};

async function makeReport(
  call: ReportCall,
  project: Project,
  service: Service,
): Promise<SessionsReportDocument> {
  const { timeZone, ...period } = await reportedPeriod(call, service);
  const calendar = openCalendar(timeZone);
  const { by, budget } = call.options;
  const deployments =
    by === "deployment" ? await deploymentGroups(call, project, service, period) : undefined;
  const grouping = by === "deployment" ? deployments?.grouping : by && groupBy(by, period, calendar);
  const report = await reportPeriod(service, { period, calendar, grouping, now: call.host.now });
  return sessionsReportDocument({
    ...{ report, timeZone, service, project, by, budget },
    requests: service.requests.total,
    deployments: deployments && { facts: deployments.facts, incomplete: deployments.incomplete() },
  });
}

/** Days of a longer period would be many rows and marks. */
const longestDays = 3_660;

/** Until now, by the service's clock, unless another end is given. */
async function reportedPeriod(
  call: ReportCall,
  service: Pick<Service, "sessions" | "serverTime">,
): Promise<{ readonly since: number; readonly until: number; readonly timeZone: string }> {
  const { since, until, nowMs, timeZone } = await readPeriod(call, service);
  const end = until ?? nowMs ?? (await serviceNow(service, call.host.now));
  if (since === undefined) throw new Error("Bug: --since has a default");
  if (since >= end)
    throw new UsageError("empty-period", "--since is in the future: nothing can be in the period.");
  if (end - since <= longestDays * 86_400_000) return { since, until: end, timeZone };
  throw new UsageError("long-period", "A report covers at most ten years: give a later --since.");
}

function show({ output }: Call, document: SessionsReportDocument): void {
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "csv") showCsv(output, document);
  else if (output.format === "markdown") output.result(renderReportMarkdown(document));
  else if (output.format === "html") output.result(renderSessionsPage(document));
  else output.result(renderReportText(document, output.stdoutText));
  // In a terminal it is the last line of the result. A result in a file is not looked at by whom an exit code wakes.
  const budget = budgetSentence(document);
  if (budget !== undefined && output.format !== "text" && judge(document) !== exitCode.done)
    output.warn(budget);
}

/** The cells cannot say what may be wrong. */
function showCsv(output: Call["output"], document: SessionsReportDocument): void {
  output.result(renderReportCsv(document));
  for (const { message } of document.incomplete) output.warn(message);
}

/** A budget that is not known to be kept must not look like one that is. */
function judge({ budget }: SessionsReportDocument): ExitCode {
  if (budget?.status === "exceeded") return exitCode.changesPending;
  return budget?.status === "unknown" ? exitCode.failed : exitCode.done;
}
