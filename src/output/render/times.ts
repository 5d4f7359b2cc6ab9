import { durationText } from "./phrases.js";

/** A time in ms in a time zone: the day as `2026-11-22`, and the time as `14:03:20`. */
export function localTime(ms: number, timeZone: string): { readonly day: string; readonly time: string } {
  // Creating a format takes longer than using it a hundred times. The Swedish form is that of ISO 8601.
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, format);
  const [day = "", time = ""] = format.format(ms).split(" ");
  return { day, time };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A time span in ms, to the second: "4 min 12 s". */
export function spanText(ms: number): string {
  return durationText(Math.max(0, Math.round(ms / 1000)), "seconds");
}
