import { expect, test } from "vitest";
import { openCalendar } from "../../src/sessions/reports/index.js";

const toInstant = (timeZone: string, local: string) =>
  new Date(openCalendar(timeZone).instantAt(Date.parse(`${local}Z`))).toISOString().slice(0, 16);

test.each([
  ["Europe/Berlin", "2026-03-29T00:00", "2026-03-28T23:00", "the day of the change forward"],
  ["Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59", "the minute before the change"],
  ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30", "a skipped time"],
  ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00", "the minute after the change"],
  ["Europe/Berlin", "2026-03-30T00:00", "2026-03-29T22:00", "the day after, 23 hours later"],
  ["Europe/Berlin", "2026-10-25T00:00", "2026-10-24T22:00", "the day of the change back"],
  ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30", "a repeated time, the first one"],
  ["Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00", "the first time that is not repeated"],
  ["Europe/Berlin", "2026-10-26T00:00", "2026-10-25T23:00", "the day after, 25 hours later"],
  ["America/New_York", "2026-03-08T02:30", "2026-03-08T07:30", "a skipped time west of UTC"],
  ["America/New_York", "2026-11-01T01:30", "2026-11-01T05:30", "a repeated time west of UTC, the first one"],
  ["Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45", "a change back by half an hour"],
  ["America/Santiago", "2026-09-06T00:00", "2026-09-06T04:00", "a skipped midnight"],
  ["Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00", "a skipped day"],
  ["UTC", "2026-03-29T02:30", "2026-03-29T02:30", "a zone without clock changes"],
])("converts a local time in %s: %s is %s UTC (%s)", (timeZone, local, utc) => {
  expect(toInstant(timeZone, local)).toBe(utc);
});
