import type { Calendar } from "./calendar.js";

/** From `since` until just before `until`; ms since the epoch, by the service's clock. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/**
 * The period of the same length before. Where both ends are beginnings of days, as many days: of these, one can have
 * 23 or 25 hours.
 */
export function periodBefore({ since, until }: Period, calendar: Calendar): Period {
  if (!calendar.isStart(since) || !calendar.isStart(until))
    return { since: since - (until - since), until: since };
  const day = calendar.dayOf(since);
  return { since: calendar.startOf(day - (calendar.dayOf(until) - day)), until: since };
}
