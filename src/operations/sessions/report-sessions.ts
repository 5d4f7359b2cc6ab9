import { UsageError } from "../../base/diagnostics/index.js";
import { readOnly, type Service } from "../../core/api/index.js";
import { type SessionsReportDocument, sessionsReportDocument } from "../../output/documents/index.js";
import {
  groupBy,
  groupByUse,
  openCalendar,
  type Period,
  reportPeriod,
} from "../../sessions/reports/index.js";
import { budgetNotices } from "../notify/notices-of-outcomes.js";
import { notify } from "../notify/notify.js";
import { withService } from "../project/connect.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { findSessionFilters, usedAsFilters } from "./used-sessions.js";

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
  const { by, budget, timeZone = "UTC" } = options;
  const { now } = runtime.host;
  const calendar = openCalendar(timeZone);
  const document = await withService(runtime, usedAsFilters(project, options), (opened) => {
    const service = readOnly(opened);
    return runtime.output.reading(service, async () => {
      const period = await reportedPeriod(service, now, options);
      const { filter, byAddress } = await findSessionFilters(runtime, project, service, options);
      const grouping = byAddress
        ? await groupByUse(service, period, byAddress)
        : groupBy(by, period, calendar);
      // A report without credits is better than none.
      const creditsLeft = project.service.profile
        ? await service.sessions.credits().catch(({ message }: Error) => {
            runtime.output.warn(message);
            return undefined;
          })
        : undefined;
      const report = await reportPeriod(service, { period, calendar, grouping, filter, now });
      return sessionsReportDocument({
        ...{ report, timeZone, service, project, by, budget, filter, creditsLeft },
        requests: service.requests.total,
      });
    });
  });
  await notify(runtime, project, { command: "sessions report", facts: budgetNotices(document) });
  return document;
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

/** A time that a user named: so long ago, or a time of the calendar, with or without its offset from UTC. */
export type PointInTime =
  | { readonly agoMs: number }
  /** `localMs` is the time as if its zone were UTC; without `offsetMs` it is in the zone of the period. */
  | { readonly localMs: number; readonly offsetMs?: number };

/** A period as a user named it. */
interface PeriodOptions {
  readonly since?: PointInTime | undefined;
  readonly until?: PointInTime | undefined;
  /** Time zone of dates; default: UTC. */
  readonly timeZone?: string | undefined;
}

/** What knows the time of the service. */
type ServiceClock = Pick<Service, "sessions" | "serverTime">;

/**
 * Reads a period in ms since the epoch, by the service's clock; asks the service for its time, `nowMs`, only if
 * that is needed.
 *
 * @throws UsageError if nothing can be in it.
 */
export async function readPeriod(
  service: ServiceClock,
  now: () => number,
  { since, until, timeZone = "UTC" }: PeriodOptions,
): Promise<{ readonly since?: number; readonly until?: number; readonly nowMs?: number | undefined }> {
  const isRelative = [since, until].some((time) => time && "agoMs" in time);
  const nowMs = isRelative ? await serviceNow(service, now) : undefined;
  const toMs = (time: PointInTime) => {
    if ("agoMs" in time) return (nowMs ?? 0) - time.agoMs;
    return time.offsetMs === undefined
      ? openCalendar(timeZone).instantAt(time.localMs)
      : time.localMs - time.offsetMs;
  };
  const read = { since: since && toMs(since), until: until && toMs(until), nowMs };
  if (read.since !== undefined && read.until !== undefined && read.since >= read.until)
    throw new UsageError("empty-period", "--since must be before --until: no session can be in between.");
  return read;
}

/**
 * The current time by the service's clock, in ms since the epoch; by this machine's if the service does not tell
 * its own. Asks the service once if it has not answered yet.
 */
async function serviceNow(service: ServiceClock, now: () => number): Promise<number> {
  if (service.serverTime() === undefined) await service.sessions.page("active", 1, 1);
  return service.serverTime() ?? now();
}
