import { expect, test } from "vitest";
import { openCalendar } from "../../src/sessions/reports/index.js";

const instant = (timeZone: string, local: string) =>
  new Date(openCalendar(timeZone).instantAt(Date.parse(`${local}Z`))).toISOString().slice(0, 16);

test.each([
  ["Europe/Berlin", "2026-03-29T00:00", "2026-03-28T23:00", "the day on which the clocks go forward"],
  ["Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59", "the minute before they do"],
  ["Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:30", "a time that they skip"],
  ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00", "the minute after"],
  ["Europe/Berlin", "2026-03-30T00:00", "2026-03-29T22:00", "the day after, 23 hours later"],
  ["Europe/Berlin", "2026-10-25T00:00", "2026-10-24T22:00", "the day on which they go back"],
  ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30", "a time that they show twice: the first"],
  ["Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00", "the first time that they show once again"],
  ["Europe/Berlin", "2026-10-26T00:00", "2026-10-25T23:00", "the day after, 25 hours later"],
  ["America/New_York", "2026-03-08T02:30", "2026-03-08T07:30", "a skipped time west of UTC"],
  ["America/New_York", "2026-11-01T01:30", "2026-11-01T05:30", "a time shown twice west of UTC: the first"],
  ["Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45", "clocks that go back by half an hour"],
  ["America/Santiago", "2026-09-06T00:00", "2026-09-06T04:00", "a midnight that is skipped"],
  ["Pacific/Apia", "2011-12-30T12:00", "2011-12-30T22:00", "a day that is skipped"],
  ["UTC", "2026-03-29T02:30", "2026-03-29T02:30", "a zone whose clocks keep still"],
])("in %s, the clocks show %s at %s: %s", (timeZone, local, utc) => {
  expect(instant(timeZone, local)).toBe(utc);
});
