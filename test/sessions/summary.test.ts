import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../fuzz.js";
import { groupBy, openCalendar, type SessionRow } from "../../src/sessions/reports/index.js";
import { openSummary } from "../../src/sessions/reports/period-report.js";

const groupings = ["day", "week", "mode", "source"] as const;
const hour = 3_600_000;
const day = 24 * hour;

/** Zones whose clocks change in the weeks that are tried, at different hours and by different amounts. */
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"] as const;

/** Around the changes of autumn 2026: in Berlin on 25 October, in New York on 1 November. */
const around = Date.parse("2026-10-20T00:00:00Z");

const session = fc.record(
  {
    ago: fc.integer({ min: -3 * 24 * 60, max: 25 * 24 * 60 }),
    credits_consumed: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constantFrom(0.1, 0.2, 12.5)),
    duration: fc.integer({ min: 0, max: 4_000 }),
    is_sandbox: fc.boolean(),
    mode: fc.constantFrom("FULL", "LITE", "HOLOGRAM", "__proto__"),
    source: fc.constantFrom("API", "constructor"),
    end_reason: fc.constantFrom("UNKNOWN", "IDLE_TIMEOUT", "NEW_ONE"),
  },
  { requiredKeys: ["ago"] },
);

const anyCase = fc.record({
  zone: fc.constantFrom(...zones),
  begin: fc.integer({ min: 0, max: 20 * 24 * 60 }),
  minutes: fc.integer({ min: 1, max: 12 * 24 * 60 }),
  days: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  by: fc.constantFrom(...groupings),
  sessions: fc.array(session, { maxLength: 60 }),
});

type Row = SessionRow & { readonly ms: number };

test("a summary has the numbers that counting one by one would give", () => {
  fc.assert(
    fc.property(anyCase, ({ zone, begin, minutes, days, by, sessions }) => {
      const calendar = openCalendar(zone);
      const first = calendar.dayAt(around + begin * 60_000);
      const period =
        days === undefined
          ? { since: around + begin * 60_000, until: around + (begin + minutes) * 60_000 }
          : { since: calendar.startOf(first), until: calendar.startOf(first + days) };
      const rows: Row[] = sessions.map(({ ago, ...row }, at) => {
        const ms = period.until - ago * 60_000;
        return { ...row, ms, id: `${at}`, created_at: new Date(ms).toISOString() };
      });
      const grouping = groupBy(by, period, calendar);
      const now = () => period.until;
      const builder = openSummary({ period, calendar, grouping, now });
      for (const { ms: _, ...row } of rows) builder.addEnded(row);
      const summary = builder.counts();

      const before =
        days === undefined
          ? period.since - (period.until - period.since)
          : startOfDay(zone, dayShown(zone, period.since), -days);
      const within = (since: number, until: number, sandbox: boolean) =>
        rows.filter(({ ms, is_sandbox = false }) => ms >= since && ms < until && is_sandbox === sandbox);
      const own = within(period.since, period.until, false);
      expect(summary.totals).toEqual(counted(own));
      expect(summary.sandbox).toEqual(counted(within(period.since, period.until, true)));
      expect(summary.previous_totals).toEqual(counted(within(before, period.since, false)));
      expect(summary.previous_sandbox).toEqual(counted(within(before, period.since, true)));
      expect(summary.inFuture).toBe(rows.filter(({ ms }) => ms > period.until + 60_000).length);

      for (const { day: name, sessions: number, credits_consumed } of summary.days) {
        const those = own.filter(({ ms }) => dayShown(zone, ms) === name);
        expect({ number, credits_consumed }).toEqual({
          number: those.length,
          credits_consumed: counted(those).credits_consumed,
        });
      }
      expect(sum(summary.days.map((one) => one.sessions))).toBe(own.length);
      const hours = own.map(({ ms }) => wallOf(zone, ms).hour);
      const counts = summary.hours.flat();
      expect(counts).toEqual(counts.map((_, at) => hours.filter((one) => one === at).length));
      expect(sum(counts)).toBe(own.length);
      for (const { key, partial: _, sandbox_sessions, ...totals } of summary.groups) {
        const those = rows.filter((row) => keyShown(by, zone, row) === key);
        const sandbox = within(period.since, period.until, true).filter((row) => those.includes(row));
        expect({ ...totals, sandbox_sessions }).toEqual({
          ...counted(own.filter((row) => those.includes(row))),
          sandbox_sessions: sandbox.length,
        });
      }
      expect(sum(summary.groups.map((one) => one.sessions))).toBe(own.length);
      expect(new Map(summary.modes.map(({ value, sessions: number }) => [value, number]))).toEqual(
        new Map(own.map(({ mode }) => [mode, own.filter((row) => row.mode === mode).length])),
      );
    }),
  );
});

describe("a period", () => {
  test.each([
    ["of days in spring", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-27T23:00:00.000Z"],
    ["of days in autumn", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-23T22:00:00.000Z"],
    ["of hours", "2026-10-24T21:00:00Z", "2026-10-25T22:00:00Z", "2026-10-23T20:00:00.000Z"],
  ])("%s is compared with one of as many days, or else hours", (_, since, until, before) => {
    const period = { since: Date.parse(since), until: Date.parse(until) };
    const { previous } = summarise([], period, "Europe/Berlin");
    expect([previous.since, previous.until].map((ms) => new Date(ms).toISOString())).toEqual([
      before,
      new Date(period.since).toISOString(),
    ]);
  });

  test("names the days and weeks that it covers only in part", () => {
    const period = { since: Date.parse("2026-12-28T12:00:00Z"), until: Date.parse("2027-01-11T00:00:00Z") };
    const { days, groups } = summarise([], period, "UTC", "week");
    expect(days.filter(({ partial }) => partial).map((one) => one.day)).toEqual(["2026-12-28"]);
    expect(groups.map(({ key, partial = false }) => [key, partial])).toEqual([
      ["2026-W53", true],
      ["2027-W01", false],
    ]);
  });

  test("starts where the clocks resume when they skip midnight", () => {
    const calendar = openCalendar("America/Santiago");
    const start = calendar.startOf(calendar.dayAt(Date.parse("2026-09-06T12:00:00Z")));
    expect([new Date(start).toISOString(), calendar.isStart(start), calendar.hourAt(start)]).toEqual([
      "2026-09-06T04:00:00.000Z",
      true,
      6 * 24 + 1,
    ]);
  });
});

test("a session that is in both lists has ended", () => {
  const period = { since: around, until: around + day };
  const builder = openSummary({ period, calendar: openCalendar("UTC"), now: () => period.until });
  const row = { id: "a", created_at: "2026-10-20T01:00:00Z", credits_consumed: 2 };
  builder.addActive(row);
  builder.addActive({ ...row, id: "b", credits_consumed: 3 });
  builder.addActive({ ...row, id: "c", is_sandbox: true });
  builder.addEnded({ ...row, credits_consumed: 4 });
  const { totals, active } = builder.counts();
  expect([totals.credits_consumed, totals.sessions, active.credits_consumed, active.sessions]).toEqual([
    4, 1, 3, 1,
  ]);
});

test("what is missing is counted, and times without a zone are in UTC", () => {
  const period = { since: around, until: around + day };
  const { totals, hours, undated } = summarise(
    [
      { id: "a", created_at: "2026-10-20T01:00:00", credits_consumed: 1e308 },
      { id: "b", created_at: "2026-10-20T01:00:00.123456" },
      { id: "c", created_at: "yesterday" },
    ],
    period,
    "UTC",
  );
  expect(totals).toMatchObject({
    ...{ sessions: 2, credits_consumed: 1e308 },
    ...{ sessions_without_credits: 1, sessions_without_duration: 2 },
  });
  expect([hours[1]?.[1], undated]).toEqual([2, 1]);
});

function summarise(
  rows: readonly SessionRow[],
  period: { readonly since: number; readonly until: number },
  zone: string,
  by?: (typeof groupings)[number],
) {
  const calendar = openCalendar(zone);
  const grouping = by && groupBy(by, period, calendar);
  const builder = openSummary({ period, calendar, grouping, now: () => period.until });
  for (const row of rows) builder.addEnded(row);
  return builder.counts();
}

/** What a tally says of these rows. */
function counted(rows: readonly SessionRow[]) {
  const durations = rows.flatMap(({ duration }) => duration ?? []).sort((a, b) => a - b);
  const credits = rows.flatMap(({ credits_consumed }) => credits_consumed ?? []);
  return {
    sessions: rows.length,
    credits_consumed: sum(credits.map((one) => Math.round(one * 10))) / 10,
    sessions_without_credits: rows.length - credits.length,
    duration:
      durations.length === 0
        ? undefined
        : {
            sum: sum(durations),
            median: between(durations, 0.5),
            p95: between(durations, 0.95),
            longest: Math.max(...durations),
          },
    sessions_without_duration: rows.length - durations.length,
  };
}

function between(sorted: readonly number[], share: number) {
  const at = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(at + 1e-9)], sorted[Math.ceil(at - 1e-9)]];
  return expect.closeTo(low + (high - low) * (at - Math.floor(at + 1e-9)), 6);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** "Sun, 2026-10-25, 02", of the platform; formats are slow to make. */
const shown = new Map(
  [...zones].map((zone) => {
    const options = { weekday: "short", year: "numeric", month: "2-digit", day: "2-digit" } as const;
    return [
      zone as string,
      new Intl.DateTimeFormat("en-CA", { timeZone: zone, ...options, hour: "2-digit", hourCycle: "h23" }),
    ];
  }),
);

function wallOf(zone: string, ms: number): { readonly day: string; readonly hour: number } {
  const [, weekday = "", date = "", at = ""] =
    /^(\w+)\.?, (\S+), (\d\d)/.exec(shown.get(zone)?.format(ms) ?? "") ?? [];
  const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  return { day: date, hour: weekdays.indexOf(weekday) * 24 + Number(at) };
}

function dayShown(zone: string, ms: number): string {
  return wallOf(zone, ms).day;
}

/** The first minute of the day so many days after another. */
function startOfDay(zone: string, name: string, days: number): number {
  const wanted = new Date(Date.parse(name) + days * day).toISOString().slice(0, 10);
  let ms = Date.parse(wanted) - 16 * hour;
  while (dayShown(zone, ms) < wanted) ms += 15 * 60_000;
  return ms;
}

function keyShown(by: (typeof groupings)[number], zone: string, row: Row): string | undefined {
  if (by === "day") return dayShown(zone, row.ms);
  return by === "week" ? weekShown(dayShown(zone, row.ms)) : row[by];
}

/** Week 1 has 4 January in it. */
function weekShown(name: string): string {
  const at = Date.parse(name);
  const monday = at - ((new Date(at).getUTCDay() + 6) % 7) * day;
  const year = new Date(monday + 3 * day).getUTCFullYear();
  const fourth = Date.UTC(year, 0, 4);
  const first = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * day;
  return `${year}-W${String((monday - first) / (7 * day) + 1).padStart(2, "0")}`;
}
