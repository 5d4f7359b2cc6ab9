import { UsageError } from "../base/diagnostics/index.js";
import type { Service } from "../core/api/index.js";
import { instantIn } from "../sessions/reports/index.js";

/** A time that a user named: so long ago, or a time of the calendar, with or without its offset from UTC. */
export type PointInTime =
  | { readonly agoMs: number }
  /** `localMs` is the time as if its zone were UTC; without `offsetMs` it is in the zone of the period. */
  | { readonly localMs: number; readonly offsetMs?: number };

/** A period as a user named it. */
export interface PeriodOptions {
  readonly since?: PointInTime | undefined;
  readonly until?: PointInTime | undefined;
  /** Of dates; default: UTC. */
  readonly timeZone?: string | undefined;
}

/** What knows the time of the service. */
export type ServiceClock = Pick<Service, "sessions" | "serverTime">;

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
    return time.offsetMs === undefined ? instantIn(timeZone, time.localMs) : time.localMs - time.offsetMs;
  };
  const read = { ...(since && { since: toMs(since) }), ...(until && { until: toMs(until) }), nowMs };
  if (read.since !== undefined && read.until !== undefined && read.since >= read.until)
    throw new UsageError("empty-period", "--since must be before --until: no session can be in between.");
  return read;
}

/**
 * The current time by the service's clock, in ms since the epoch; by this machine's if the service does not tell
 * its own. Asks the service once if it has not answered yet.
 */
export async function serviceNow(service: ServiceClock, now: () => number): Promise<number> {
  if (service.serverTime() === undefined) await service.sessions.page("active", 1, 1);
  return service.serverTime() ?? now();
}
