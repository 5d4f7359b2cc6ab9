import { type Calendar, dayName, weekName } from "./calendar.js";
import type { SessionRow } from "./row.js";

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
  const day = calendar.dayAt(since);
  return { since: calendar.startOf(day - (calendar.dayAt(until) - day)), until: since };
}

/** How the sessions of a period are divided. */
export interface Grouping {
  /** The key of a session's group; undefined: the service states none. */
  keyOf(row: SessionRow, createdMs: number): string | undefined;
  /** The groups in order, also those without sessions. Absent: those that occur, by sessions, most first. */
  readonly groups?: readonly FixedGroup[];
}

/** A group that is known before any session; partial: the period begins or ends within it. */
interface FixedGroup {
  readonly key: string;
  readonly isPartial: boolean;
}

export const groupings = ["day", "week", "mode", "source"] as const;

/** By what a report can be divided. */
export type GroupingName = (typeof groupings)[number];

/** The grouping of this name for a period. */
export function groupBy(name: GroupingName, period: Period, calendar: Calendar): Grouping {
  switch (name) {
    case "day":
      return {
        keyOf: (_, ms) => dayName(calendar.dayAt(ms)),
        groups: listDays(period, calendar).map(({ day, isPartial }) => ({ key: dayName(day), isPartial })),
      };
    case "week":
      return {
        keyOf: (_, ms) => weekName(calendar.dayAt(ms)),
        groups: listWeeks(period, calendar),
      };
    default:
      return { keyOf: (row) => row[name] };
  }
}

/** The days of a period, in order. */
export function listDays(
  { since, until }: Period,
  calendar: Calendar,
): { readonly day: number; readonly isPartial: boolean }[] {
  const first = calendar.dayAt(since);
  const last = calendar.dayAt(until - 1);
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    day: first + at,
    isPartial: (at === 0 && !calendar.isStart(since)) || (first + at === last && !calendar.isStart(until)),
  }));
}

/** Its days are complete, and all seven are there. */
function listWeeks(period: Period, calendar: Calendar): FixedGroup[] {
  const weeks = new Map<string, { days: number; isPartial: boolean }>();
  for (const { day, isPartial } of listDays(period, calendar)) {
    const key = weekName(day);
    const { days, isPartial: before } = weeks.get(key) ?? { days: 0, isPartial: false };
    weeks.set(key, { days: days + 1, isPartial: before || isPartial });
  }
  return [...weeks].map(([key, { days, isPartial }]) => ({ key, isPartial: isPartial || days < 7 }));
}

/**
 * Divides a period by moments, in ms since the epoch: a group has the sessions created from then until the next one begins.
 *
 * @param intervals in order; the first one begins with the period, or before it.
 */
export function groupByIntervals(
  { since }: Period,
  intervals: readonly { readonly key: string; readonly sinceMs: number }[],
): Grouping {
  return {
    groups: intervals.map(({ key, sinceMs }, at) => ({
      key,
      isPartial: sinceMs < since || at === intervals.length - 1,
    })),
    keyOf(_, createdMs) {
      let [low, high] = [0, intervals.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((intervals[middle]?.sinceMs ?? 0) <= createdMs) low = middle;
        else high = middle - 1;
      }
      return intervals[low]?.key;
    },
  };
}
