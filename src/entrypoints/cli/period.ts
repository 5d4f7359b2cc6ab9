import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import { instantIn, type SessionQuery } from "../../sessions/reports/index.js";
import type { Call, CommandCall } from "./command.js";
import type { OptionValues } from "./facts/option.js";
import type { sessionsListCommand } from "./facts/sessions.js";
import type { period } from "./facts/shared-options.js";
import type { PointInTime } from "./parse.js";

/** The period that `--since` and `--until` give, in ms since the epoch, by the service's clock. */
interface Period {
  readonly since?: number;
  readonly until?: number;
  /** The service's current time; undefined if neither option needs it. */
  readonly nowMs?: number;
  /** Of dates: that of `--time-zone`, or UTC. */
  readonly timeZone: string;
}

/**
 * Reads the period; asks the service for its time only if it is needed.
 *
 * @throws UsageError if nothing can be in it.
 */
export async function readPeriod(
  call: Call<OptionValues<typeof period>>,
  service: Pick<Service, "sessions" | "serverTime">,
): Promise<Period> {
  const { since, until, timeZone = "UTC" } = call.options;
  const isRelative = [since, until].some((time) => time && "agoMs" in time);
  const nowMs = isRelative ? await serviceNow(service, call.host.now) : undefined;
  const ms = (time: PointInTime) => {
    if ("agoMs" in time) return (nowMs ?? 0) - time.agoMs;
    return time.offsetMs === undefined ? instantIn(timeZone, time.localMs) : time.localMs - time.offsetMs;
  };
  const read = {
    ...(since && { since: ms(since) }),
    ...(until && { until: ms(until) }),
    ...(nowMs !== undefined && { nowMs }),
    timeZone,
  };
  if (read.since !== undefined && read.until !== undefined && read.since >= read.until) {
    throw new UsageError("empty-period", "--since must be before --until: no session can be in between.");
  }
  return read;
}

/** Which sessions to read: the options of `sessionFilters`, of `period` and `--type`. */
export async function readQuery(
  call: CommandCall<typeof sessionsListCommand>,
  service: Pick<Service, "sessions" | "serverTime">,
): Promise<SessionQuery> {
  const { since, until } = await readPeriod(call, service);
  const { type, mode: modes, source: sources, sandbox } = call.options;
  return {
    type,
    since,
    until,
    ...(modes.length > 0 ? { modes } : {}),
    ...(sources.length > 0 ? { sources } : {}),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/**
 * The current time by the service's clock, in ms since the epoch; by this machine's if the service does not tell
 * its own. Asks the service once if it has not answered yet.
 */
export async function serviceNow(
  service: Pick<Service, "sessions" | "serverTime">,
  now: () => number,
): Promise<number> {
  if (service.serverTime() === undefined) await service.sessions.page("active", 1, 1);
  return service.serverTime() ?? now();
}
