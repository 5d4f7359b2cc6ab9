/** Days, weeks and hours of a time zone. */
export type Calendar = ReturnType<typeof openCalendar>;

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The calendar of an IANA time zone. A day is counted from 1970-01-01 (day 0, a Thursday); times are in ms since the epoch.
 *
 * @throws RangeError if there is no such time zone.
 */
export function openCalendar(timeZone: string) {
  const localMs = openLocalTime(timeZone);
  const dayAt = (ms: number) => Math.floor(localMs(ms) / dayMs);
  return {
    dayAt,
    /** The hour of the week: 0 is Monday from midnight to one, 167 the last hour of Sunday. */
    hourAt(ms: number): number {
      const local = localMs(ms);
      const day = Math.floor(local / dayMs);
      return weekday(day) * 24 + Math.floor((local - day * dayMs) / hourMs);
    },
    /** When a day begins; not always at midnight: clocks are put forward then, too. */
    startOf(day: number): number {
      // No zone is further than 15 hours from UTC.
      let [before, at] = [day * dayMs - 15 * hourMs, day * dayMs + 15 * hourMs];
      while (at - before > 1) {
        const middle = Math.floor((before + at) / 2);
        if (dayAt(middle) < day) before = middle;
        else at = middle;
      }
      return at;
    },
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

/** The clock on the wall, as if it were UTC. Asks for each hour once: asking takes longer than all else. */
function openLocalTime(timeZone: string): (ms: number) => number {
  const offsetAt = openClock(timeZone);
  const offsets = new Map<number, number | undefined>();
  return (ms) => {
    const hour = Math.floor(ms / hourMs);
    if (!offsets.has(hour)) {
      const [first, last] = [offsetAt(hour * hourMs), offsetAt((hour + 1) * hourMs - 1)];
      offsets.set(hour, first === last ? first : undefined);
    }
    return ms + (offsets.get(hour) ?? offsetAt(ms));
  };
}

/**
 * The time at which the clocks of a zone show `localMs`, a time written as if it were UTC. A time that the clocks
 * skip in spring becomes the same one counted from before; of one that they show twice in autumn it is the first.
 */
export function instantIn(timeZone: string, localMs: number): number {
  const shown = openClock(timeZone);
  const hour = 3_600_000;
  // The offset a day before and a day after covers every change of the clocks in between.
  const offsets = [shown(localMs - 24 * hour), shown(localMs + 24 * hour)];
  const [before = 0, after = 0] = offsets;
  const matching = [before, after]
    .map((offset) => localMs - offset)
    .filter((ms) => ms + shown(ms) === localMs);
  return matching.length > 0 ? Math.min(...matching) : localMs - before;
}

/** How far the clocks of a zone are ahead of UTC at a time, in ms. */
function openClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (ms) => {
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
  };
}
