import { UsageError } from "../base/diagnostics/index.js";
import { readOnly } from "../core/api/index.js";
import { type SessionsReportDocument, sessionsReportDocument } from "../output/documents/index.js";
import { groupBy, openCalendar, type Period, reportPeriod } from "../sessions/reports/index.js";
import { withService } from "./connect.js";
import { deploymentGroups } from "./deployment-groups.js";
import { budgetNotices } from "./notify/facts.js";
import { notify } from "./notify/notify.js";
import type { Project } from "./project.js";
import type { Runtime } from "./runtime.js";
import {
  type PeriodOptions,
  type PointInTime,
  readPeriod,
  type ServiceClock,
  serviceNow,
} from "./session-period.js";

/** Which report. */
export interface ReportOptions extends PeriodOptions {
  readonly since: PointInTime;
  readonly by?: SessionsReportDocument["by"] | undefined;
  /** In credits. */
  readonly budget?: number | undefined;
}

/** Reports the sessions of a period, compared with the period before, and tells if they exceed the budget. @throws UsageError */
export async function reportProject(
  runtime: Runtime,
  project: Project,
  options: ReportOptions,
): Promise<SessionsReportDocument> {
  const report = await readReport(runtime, project, options);
  await notify(runtime, project, { command: "sessions report", facts: budgetNotices(report) });
  return report;
}

function readReport(
  runtime: Runtime,
  project: Project,
  options: ReportOptions,
): Promise<SessionsReportDocument> {
  const { by, budget, timeZone = "UTC" } = options;
  const { now } = runtime.host;
  const calendar = openCalendar(timeZone);
  return withService(runtime, project, (opened) => {
    const service = readOnly(opened);
    return runtime.output.reading(service, async () => {
      const period = await reportedPeriod(service, now, options);
      const deployments =
        by === "deployment" ? await deploymentGroups(runtime, project, service, period) : undefined;
      const grouping = by === "deployment" ? deployments?.grouping : by && groupBy(by, period, calendar);
      const report = await reportPeriod(service, { period, calendar, grouping, now });
      return sessionsReportDocument({
        ...{ report, timeZone, service, project, by, budget },
        requests: service.requests.total,
        deployments: deployments && { facts: deployments.facts, incomplete: deployments.incomplete() },
      });
    });
  });
}

/** Days of a longer period would be many rows and marks. */
const longestDays = 3_660;

/** Until now, by the service's clock, unless another end is given. */
async function reportedPeriod(
  service: ServiceClock,
  now: () => number,
  options: ReportOptions,
): Promise<Period> {
  const { since = 0, until, nowMs } = await readPeriod(service, now, options);
  const end = until ?? nowMs ?? (await serviceNow(service, now));
  if (since >= end)
    throw new UsageError("empty-period", "--since is in the future: nothing can be in the period.");
  if (end - since <= longestDays * 86_400_000) return { since, until: end };
  throw new UsageError("long-period", "A report covers at most ten years: give a later --since.");
}
