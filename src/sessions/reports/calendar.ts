/** Days and weeks of a time zone. */
export type Calendar = ReturnType<typeof openCalendar>;

const dayMs = 86_400_000;
const quarterMs = 900_000;

/**
 * The calendar of an IANA time zone. A day is counted from 1970-01-01 (day 0, a Thursday); times are in ms since the epoch.
 *
 * @throws RangeError if there is no such time zone.
 */
export function openCalendar(timeZone: string) {
  const offsetAt = openClock(timeZone);
  const localMs = (ms: number) => ms + offsetAt(ms);
  const dayAt = (ms: number) => Math.floor(localMs(ms) / dayMs);

  /**
   * The time at which the clocks show `local`, a time written as if it were UTC. A time that the clocks skip in spring
   * becomes the same one counted from before; of one that they show twice in autumn it is the first.
   */
  function instantAt(local: number): number {
    // The offset a day before and a day after covers every change of the clocks in between.
    const [before, after] = [local - offsetAt(local - dayMs), local - offsetAt(local + dayMs)];
    const matching = [before, after].filter((ms) => localMs(ms) === local);
    return matching.length > 0 ? Math.min(...matching) : before;
  }

  return {
    dayAt,
    instantAt,
    /** When a day begins; not always at midnight: clocks are put forward then, too. */
    startOf: (day: number) => instantAt(day * dayMs),
    /** Whether a day begins at this time. */
    isStart: (ms: number) => dayAt(ms - 1) < dayAt(ms),
  };
}

/** 0 is Monday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** `2026-11-22` */
export function dayName(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** `2026-W47`: weeks begin on Monday, and belong to the year of their Thursday (ISO 8601). */
export function weekName(day: number): string {
  const thursday = day - weekday(day) + 3;
  const year = new Date(thursday * dayMs).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1) / dayMs) / 7) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/**
 * How far the clocks of a zone are ahead of UTC at a time, in ms. Asks once for each quarter of an hour, within which no
 * clock is changed: asking takes longer than all else.
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
