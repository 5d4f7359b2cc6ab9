import { durationText } from "./phrases.js";

/** A time in ms as `14:03:20`, in a time zone. */
export function timeOfDay(ms: number, timeZone: string): string {
  return partsAt(ms, timeZone).time;
}

/** A time in ms as `2026-11-22`, in a time zone. */
export function formatDate(ms: number, timeZone: string): string {
  return partsAt(ms, timeZone).day;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Creating a format takes longer than using it a hundred times. */
function openFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  // The Swedish form is that of ISO 8601.
  const made = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, made);
  return made;
}

function partsAt(ms: number, timeZone: string): { readonly day: string; readonly time: string } {
  const [day = "", time = ""] = openFormat(timeZone).format(ms).split(" ");
  return { day, time };
}

/** A time span in ms, to the second: "4 min 12 s". */
export function spanText(ms: number): string {
  return durationText(Math.max(0, Math.round(ms / 1000)), "seconds");
}
