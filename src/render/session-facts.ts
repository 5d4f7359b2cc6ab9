import type { ReportedTotals, SessionsReportDocument } from "../documents/index.js";
import type { HtmlContent } from "./html.js";
import { durationText, number } from "./phrases.js";

/** What stands in the place of a value that nobody states. */
export const missing = "–";

export const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "2 Nov" of `2026-11-02`. */
export function shortDay(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
}

/** "Mon 2 Nov 2026" of `2026-11-02`. */
export function longDay(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return `${weekdayOf(day).slice(0, 3)} ${shortDay(day)} ${at.getUTCFullYear()}`;
}

/** "Nov 2026" of `2026-11-02`. */
export function monthOf(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return `${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** The day of the week of `2026-11-02`. */
export function weekdayOf(day: string): string {
  return weekdays[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7] ?? "";
}

/** Shows moments in one time zone: "2 Nov 2026, 14:05", or without the year. What is no time stays as it stands. */
export function clockIn(timeZone: string, withYear = true): (moment: string | undefined) => string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });
  return (moment) => {
    const at = Date.parse(moment ?? "");
    if (Number.isNaN(at)) return moment ?? missing;
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const month = months[Number(parts.get("month")) - 1];
    const year = withYear ? ` ${parts.get("year")}` : "";
    return `${parts.get("day")} ${month}${year}, ${parts.get("hour")}:${parts.get("minute")}`;
  };
}

/** "+12%"; undefined if there is nothing to compare with. */
export function changeOf(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = (now / before - 1) * 100;
  const rounded = Math.abs(percent) < 10 ? Math.round(percent * 10) / 10 : Math.round(percent);
  if (rounded === 0) return "±0%";
  return `${rounded > 0 ? "+" : "−"}${number(Math.abs(rounded))}%`;
}

/** "81%"; never 0% of something, nor 100% of less than all. */
export function shareOf(part: number, whole: number): string {
  if (whole === 0) return missing;
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 1) return "<1%";
  if (percent < 100 && percent > 99) return ">99%";
  return `${Math.round(percent)}%`;
}

/** The title of what a report is divided by. */
export const groupingTitles: Readonly<Record<NonNullable<SessionsReportDocument["by"]>, string>> = {
  day: "Day",
  week: "Week",
  mode: "Mode",
  source: "Source",
  deployment: "Since deployment",
};

/** One number of some sessions, such as the median of their durations; undefined: nobody states it. */
export interface ReportMeasure {
  readonly title: string;
  readonly of: (totals: ReportedTotals) => number | undefined;
  readonly shown: (value: number) => string;
}

/** What is told of sessions, in this order. */
export function reportMeasures({ duration_unit }: SessionsReportDocument): readonly ReportMeasure[] {
  const duration = (value: number) => durationText(value, duration_unit);
  return [
    { title: "Sessions", of: ({ sessions }) => sessions, shown: number },
    {
      title: "Credits",
      of: ({ credits_consumed, sessions, sessions_without_credits }) =>
        sessions > 0 && sessions_without_credits === sessions ? undefined : credits_consumed,
      shown: number,
    },
    { title: "Median duration", of: (totals) => totals.duration?.median, shown: duration },
    { title: "95th percentile", of: (totals) => totals.duration?.p95, shown: duration },
    { title: "Longest", of: (totals) => totals.duration?.longest, shown: duration },
    { title: "Total duration", of: (totals) => totals.duration?.sum, shown: duration },
  ];
}

/** One measure of a period and of the one before, and how it has changed: "+12%". */
export function compared(
  { totals, previous_totals }: SessionsReportDocument,
  { of }: ReportMeasure,
): {
  readonly now?: number | undefined;
  readonly before?: number | undefined;
  readonly change?: string | undefined;
} {
  const [now, before] = [of(totals), of(previous_totals)];
  const change = now === undefined || before === undefined ? undefined : changeOf(now, before);
  return { now, before, change };
}

/** What the unit of durations rests on. */
export function unitSentence({ duration_unit, duration_unit_configured }: SessionsReportDocument): string {
  return duration_unit_configured
    ? `Durations are in ${duration_unit}, as configured.`
    : "Durations are taken for seconds: the service does not state their unit. Set service.session_duration_unit if it is another.";
}

/** A value as it is shown, or that it is missing. */
export function shownOr<Value>(value: Value | undefined, shown: (value: Value) => HtmlContent): HtmlContent {
  return value === undefined ? missing : shown(value);
}
