/** A time in ms as `14:03:20`, in a time zone. */
export function timeOfDay(ms: number, timeZone: string): string {
  return partsAt(ms, timeZone).time;
}

/** A time in ms as `2026-11-22`, in a time zone. */
export function dayOf(ms: number, timeZone: string): string {
  return partsAt(ms, timeZone).day;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Creating a format takes longer than using it a hundred times. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  // The Swedish form is that of ISO 8601.
  const made = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, made);
  return made;
}

function partsAt(ms: number, timeZone: string): { readonly day: string; readonly time: string } {
  const [day = "", time = ""] = formatOf(timeZone).format(ms).split(" ");
  return { day, time };
}

/** An age in ms: `42s`, `4m 12s`, `2h 05m`, `3d 04h`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [minutes, hours, days] = [60, 3600, 86_400].map((length) => Math.floor(seconds / length)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days}d ${padded(hours % 24)}h`;
  if (hours > 0) return `${hours}h ${padded(minutes % 60)}m`;
  return minutes > 0 ? `${minutes}m ${padded(seconds % 60)}s` : `${seconds}s`;
}

function padded(number: number): string {
  return String(number).padStart(2, "0");
}
