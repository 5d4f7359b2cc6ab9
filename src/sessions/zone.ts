/**
 * The time at which the clocks of a zone show `localMs`, a time written as if it were UTC. A time that the clocks
 * skip in spring becomes the same one counted from before; of one that they show twice in autumn it is the first.
 */
export function instantIn(timeZone: string, localMs: number): number {
  const shown = clockOf(timeZone);
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
export function clockOf(timeZone: string): (ms: number) => number {
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
