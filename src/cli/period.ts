import type { Service } from "../api/index.js";
import { instantIn, type SessionQuery } from "../sessions/index.js";
import { type Call, listOption, textOption } from "./command.js";
import { UsageError } from "./failure.js";
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
export async function periodOf(
  call: Call,
  service: Pick<Service, "sessions" | "serverTime">,
): Promise<Period> {
  const [since, until] = ["since", "until"].map((name) => call.options[name] as PointInTime | undefined);
  const timeZone = textOption(call, "timeZone") ?? "UTC";
  const isRelative = [since, until].some((time) => time && "agoMs" in time);
  const nowMs = isRelative ? await serviceNow(service, call.host.now) : undefined;
  const ms = (time: PointInTime) => {
    if ("agoMs" in time) return (nowMs ?? 0) - time.agoMs;
    return time.offsetMs === undefined ? instantIn(timeZone, time.localMs) : time.localMs - time.offsetMs;
  };
  const period = {
    ...(since && { since: ms(since) }),
    ...(until && { until: ms(until) }),
    ...(nowMs !== undefined && { nowMs }),
    timeZone,
  };
  if (period.since !== undefined && period.until !== undefined && period.since >= period.until) {
    throw new UsageError("empty-period", "--since must be before --until: no session can be in between.");
  }
  return period;
}

/** Which sessions to read: the options of `sessionFilters`, of `period` and `--type`. */
export async function queryOf(
  call: Call,
  service: Pick<Service, "sessions" | "serverTime">,
): Promise<SessionQuery> {
  const { since, until } = await periodOf(call, service);
  const [modes, sources] = ["mode", "source"].map((name) => listOption(call, name));
  const { sandbox } = call.options;
  return {
    type: textOption(call, "type") === "historic" ? "historic" : "active",
    since,
    until,
    ...(modes?.length ? { modes } : {}),
    ...(sources?.length ? { sources } : {}),
    ...(typeof sandbox === "boolean" ? { sandbox } : {}),
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
