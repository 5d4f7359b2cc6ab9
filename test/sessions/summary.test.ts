import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../fuzz.js";
import { groupBy, openCalendar, type SessionRow } from "../../src/sessions/reports/index.js";
import { openSummary } from "../../src/sessions/reports/period-report.js";

const day = 86_400_000;

/** Covers the clock changes of autumn 2026, on 25 October in Berlin and on 1 November in New York. */
const around = Date.parse("2026-10-20T00:00:00Z");

test.each(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])(
  "counts a session for the local day and week in %s",
  (zone) => {
    const options = { weekday: "long", year: "numeric", month: "2-digit", day: "2-digit" } as const;
    const format = new Intl.DateTimeFormat("en-CA", { ...options, timeZone: zone });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * 24 * 60 }), (minutes) => {
        const ms = around + minutes * 60_000;
        const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
        const name = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
        const row = { id: "a", created_at: new Date(ms).toISOString(), credits_consumed: 2 };
        const period = { since: ms - 9 * day, until: ms + 1 };
        const { days, groups } = summarize([row], period, zone, "week");
        const inDays = days.filter(({ sessions }) => sessions > 0);
        expect(inDays).toMatchObject([{ day: name, sessions: 1, credits_consumed: 2 }]);
        // Monday 19 October is the first day of week 43.
        const week = Math.floor((Date.parse(name) - Date.parse("2026-10-19")) / (7 * day)) + 43;
        expect(groups.filter(({ sessions }) => sessions > 0)).toMatchObject([{ key: `2026-W${week}` }]);
      }),
    );
  },
);

describe("report period", () => {
  test.each([
    ["days in spring", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-27T23:00:00.000Z"],
    ["days in autumn", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "2026-10-23T22:00:00.000Z"],
    ["hours", "2026-10-24T21:00:00Z", "2026-10-25T22:00:00Z", "2026-10-23T20:00:00.000Z"],
  ])("compares %s with the preceding period of equal length", (_, since, until, before) => {
    const period = { since: Date.parse(since), until: Date.parse(until) };
    const { previous } = summarize([], period, "Europe/Berlin");
    expect([previous.since, previous.until].map((ms) => new Date(ms).toISOString())).toEqual([
      before,
      new Date(period.since).toISOString(),
    ]);
  });

  test("marks partly covered days and weeks", () => {
    const period = { since: Date.parse("2026-12-28T12:00:00Z"), until: Date.parse("2027-01-11T00:00:00Z") };
    const { days, groups } = summarize([], period, "UTC", "week");
    expect(days.filter(({ partial }) => partial).map((one) => one.day)).toEqual(["2026-12-28"]);
    expect(groups.map(({ key, partial = false }) => [key, partial])).toEqual([
      ["2026-W53", true],
      ["2027-W01", false],
    ]);
  });

  test("starts at 01:00 on a day when daylight saving time skips midnight", () => {
    const calendar = openCalendar("America/Santiago");
    const start = calendar.getStart(calendar.dayAt(Date.parse("2026-09-06T12:00:00Z")));
    expect([new Date(start).toISOString(), calendar.isStart(start)]).toEqual([
      "2026-09-06T04:00:00.000Z",
      true,
    ]);
  });
});

test("counts a session as ended if both the active and the ended list contain it", () => {
  const period = { since: around, until: around + day };
  const builder = openSummary({ period, calendar: openCalendar("UTC"), now: () => period.until });
  const row = { id: "a", created_at: "2026-10-20T01:00:00Z", credits_consumed: 2 };
  builder.addActive(row);
  builder.addActive({ ...row, id: "b", created_at: "2026-10-20T00:00:00Z", credits_consumed: 3 });
  builder.addActive({ ...row, id: "c", is_sandbox: true });
  builder.addEnded({ ...row, credits_consumed: 4 });
  const { totals, active } = builder.counts();
  expect([totals.credits_consumed, totals.sessions, active.credits_consumed, active.sessions]).toEqual([
    4, 1, 3, 1,
  ]);
});

test("counts sessions with missing values, and reads times without a zone as UTC", () => {
  const period = { since: around, until: around + day };
  const { totals, undated } = summarize(
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
  expect(undated).toBe(1);
});

function summarize(
  rows: readonly SessionRow[],
  period: { readonly since: number; readonly until: number },
  zone: string,
  by?: "week",
) {
  const calendar = openCalendar(zone);
  const grouping = by && groupBy(by, period, calendar);
  const builder = openSummary({ period, calendar, grouping, now: () => period.until });
  for (const row of rows) builder.addEnded(row);
  return builder.counts();
}
