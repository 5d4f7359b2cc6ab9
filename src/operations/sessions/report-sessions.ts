import { UsageError } from "../../base/diagnostics/index.js";
import { restrictToReads, type Service } from "../../core/api/index.js";
import { type SessionsReportDocument, toSessionsReportDocument } from "../../output/documents/index.js";
import {
  groupBy,
  groupByObject,
  openCalendar,
  type Period,
  reportPeriod,
} from "../../sessions/reports/index.js";
import { createBudgetNotices } from "../notify/notices-of-outcomes.js";
import { notify } from "../notify/notify.js";
import { withService } from "../project/connect.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { findSessionFilters, restrictToSessionFilters } from "./used-sessions.js";

export interface ReportOptions extends PeriodOptions {
  readonly since: PointInTime;
  readonly by?: SessionsReportDocument["by"] | undefined;
  /** Budget, in credits. */
  readonly budget?: number | undefined;
}

/** Reports a period's sessions, compared with the previous period and the budget. @throws UsageError */
export async function reportProject(
  runtime: Runtime,
  project: Project,
  options: ReportOptions,
): Promise<SessionsReportDocument> {
  const { by, budget, timeZone = "UTC" } = options;
  const { now } = runtime.host;
  const calendar = openCalendar(timeZone);
  const document = await withService(runtime, restrictToSessionFilters(project, options), (opened) => {
    const service = restrictToReads(opened);
    return runtime.output.reading(service, async () => {
      const period = await choosePeriod(service, now, options);
      const { filter, byAddress } = await findSessionFilters(runtime, project, service, options);
      const grouping = byAddress
        ? await groupByObject(service, period, byAddress)
        : groupBy(by, period, calendar);
      // Continues without credits if they cannot be read.
      const creditsLeft = project.service.profile
        ? await service.sessions.readCredits().catch(({ message }: Error) => {
            runtime.output.warn(message);
            return undefined;
          })
        : undefined;
      const report = await reportPeriod(service, { period, calendar, grouping, filter, now });
      return toSessionsReportDocument({
        ...{ report, timeZone, service, project, by, budget, filter, creditsLeft },
        requests: service.requests.total,
      });
    });
  });
  await notify(runtime, project, { command: "sessions report", facts: createBudgetNotices(document) });
  return document;
}

/** Maximum length of a period, in days. Limits the rows and chart marks of a report. */
const maxDays = 3_660;

/** Reads the period. The default end is the current time, by the service's clock. */
async function choosePeriod(
  service: ServiceClock,
  now: () => number,
  options: ReportOptions,
): Promise<Period> {
  const { since = 0, until, nowMs } = await readPeriod(service, now, options);
  const end = until ?? nowMs ?? (await readServiceTime(service, now));
  if (since >= end)
    throw new UsageError(
      "empty-period",
      "--since is in the future, so the period is empty. Give an earlier time.",
    );
  if (end - since <= maxDays * 86_400_000) return { since, until: end };
  throw new UsageError("long-period", "A report covers at most ten years. Give a later --since.");
}

/** A time from the user: relative to now, or a date with or without an offset from UTC. */
export type PointInTime =
  | { readonly agoMs: number }
  /**
   * Local date and time. `localMs` is that time read as UTC. Without `offsetMs`, the time zone of the period applies.
   */
  | { readonly localMs: number; readonly offsetMs?: number };

interface PeriodOptions {
  readonly since?: PointInTime | undefined;
  readonly until?: PointInTime | undefined;
  /** Time zone of dates. Default: UTC. */
  readonly timeZone?: string | undefined;
}

/** The part of the client that is needed to read the service's time. */
type ServiceClock = Pick<Service, "sessions" | "getServerTime">;

/**
 * Converts a period to ms since the epoch, by the service's clock. Requests the service's time only if needed.
 *
 * @throws UsageError if the period is empty.
 */
export async function readPeriod(
  service: ServiceClock,
  now: () => number,
  { since, until, timeZone = "UTC" }: PeriodOptions,
): Promise<{ readonly since?: number; readonly until?: number; readonly nowMs?: number | undefined }> {
  const isRelative = [since, until].some((time) => time && "agoMs" in time);
  const nowMs = isRelative ? await readServiceTime(service, now) : undefined;
  const toMs = (time: PointInTime) => {
    if ("agoMs" in time) return (nowMs ?? 0) - time.agoMs;
    return time.offsetMs === undefined
      ? openCalendar(timeZone).instantAt(time.localMs)
      : time.localMs - time.offsetMs;
  };
  const read = { since: since && toMs(since), until: until && toMs(until), nowMs };
  if (read.since !== undefined && read.until !== undefined && read.since >= read.until)
    throw new UsageError("empty-period", "--since must be before --until.");
  return read;
}

/**
 * Returns the current time by the service's clock, in ms since the epoch. Sends a request unless an earlier response
 * showed the time. Falls back to this machine's clock if responses have no time.
 */
async function readServiceTime(service: ServiceClock, now: () => number): Promise<number> {
  if (service.getServerTime() === undefined) await service.sessions.readPage("active", 1, 1);
  return service.getServerTime() ?? now();
}
