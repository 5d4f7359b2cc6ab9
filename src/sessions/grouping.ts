import { type Calendar, dayName, weekName } from "./calendar.js";
import type { Period } from "./period.js";
import type { SessionRow } from "./row.js";

/** How the sessions of a period are divided. */
export interface Grouping {
  /** The key of a session's group; undefined: the service states none. */
  keyOf(row: SessionRow, createdMs: number): string | undefined;
  /** The groups in order, also those without sessions. Absent: those that occur, by sessions, most first. */
  readonly groups?: readonly FixedGroup[];
}

/** A group that is known before any session. */
export interface FixedGroup {
  readonly key: string;
  /** The period begins or ends within it. */
  readonly isPartial: boolean;
}

export const groupings = ["day", "week", "mode", "source"] as const;

/** By what a report can be divided. */
export type GroupingName = (typeof groupings)[number];

/** The grouping of this name for a period. */
export function groupingOf(name: GroupingName, period: Period, calendar: Calendar): Grouping {
  switch (name) {
    case "day":
      return {
        keyOf: (_, ms) => dayName(calendar.dayOf(ms)),
        groups: daysOf(period, calendar).map(({ day, isPartial }) => ({ key: dayName(day), isPartial })),
      };
    case "week":
      return {
        keyOf: (_, ms) => weekName(calendar.dayOf(ms)),
        groups: listWeeks(period, calendar),
      };
    default:
      return { keyOf: (row) => row[name] };
  }
}

/** The days of a period, in order. */
export function daysOf(
  { since, until }: Period,
  calendar: Calendar,
): { readonly day: number; readonly isPartial: boolean }[] {
  const first = calendar.dayOf(since);
  const last = calendar.dayOf(until - 1);
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    day: first + at,
    isPartial: (at === 0 && !calendar.isStart(since)) || (first + at === last && !calendar.isStart(until)),
  }));
}

/** Its days are complete, and all seven are there. */
function listWeeks(period: Period, calendar: Calendar): FixedGroup[] {
  const weeks = new Map<string, { days: number; isPartial: boolean }>();
  for (const { day, isPartial } of daysOf(period, calendar)) {
    const key = weekName(day);
    const { days, isPartial: before } = weeks.get(key) ?? { days: 0, isPartial: false };
    weeks.set(key, { days: days + 1, isPartial: before || isPartial });
  }
  return [...weeks].map(([key, { days, isPartial }]) => ({ key, isPartial: isPartial || days < 7 }));
}
