/** Days and weeks in a time zone. */
export type Calendar = ReturnType<typeof openCalendar>;

const dayMs = 86_400_000;
const quarterMs = 900_000;

/**
 * Opens the calendar for an IANA time zone. Days count from 1970-01-01 (day 0, a Thursday), and times are in ms since
 * the epoch.
 *
 * @throws RangeError for an unknown time zone.
 */
export function openCalendar(timeZone: string) {
  const offsetAt = openClock(timeZone);
  const toLocalMs = (ms: number) => ms + offsetAt(ms);
  const getDay = (ms: number) => Math.floor(toLocalMs(ms) / dayMs);

  /**
   * Converts a local time, given in ms as if it were UTC, to an instant. A time skipped in spring gets the offset
   * before the change. A time that occurs twice in autumn means the first occurrence.
   */
  function toInstant(local: number): number {
    // One of these offsets applies, because clocks change at most once within two days.
    const [before, after] = [local - offsetAt(local - dayMs), local - offsetAt(local + dayMs)];
    const matching = [before, after].filter((ms) => toLocalMs(ms) === local);
    return matching.length > 0 ? Math.min(...matching) : before;
  }

  return {
    dayAt: getDay,
    instantAt: toInstant,
    /** Returns the start of a day, which is not midnight if the clocks change then. */
    getStart: (day: number) => toInstant(day * dayMs),
    isStart: (ms: number) => getDay(ms - 1) < getDay(ms),
  };
}

/** Returns the day of the week (0 is Monday). */
function getWeekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

export function formatDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Formats a week: `2026-W47`. Weeks start on Monday and belong to the year of their Thursday (ISO 8601). */
export function formatWeek(day: number): string {
  const thursday = day - getWeekday(day) + 3;
  const year = new Date(thursday * dayMs).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1) / dayMs) / 7) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/**
 * Returns a function that computes a zone's offset from UTC. Formatting is slow, so offsets are cached per quarter
 * hour. Clocks change only between quarter hours.
 */
function openClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const offsets = new Map<number, number>();
  return (ms) => {
    const from = Math.floor(ms / quarterMs) * quarterMs;
    const known = offsets.get(from);
    if (known !== undefined) return known;
    const part = Object.fromEntries(
      format.formatToParts(from).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - from;
    offsets.set(from, offset);
    return offset;
  };
}
