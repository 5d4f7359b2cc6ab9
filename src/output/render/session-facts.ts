import { lacksCredits, type ReportedTotals, type SessionsReportDocument } from "../documents/index.js";
import { clip } from "./cells.js";
import { formatCount, formatDuration, formatNumber } from "./phrases.js";
import { makeVisible } from "./visible.js";

/** Placeholder for a missing value. */
export const missingMark = "–";

/** Formats `2026-11-02` as "Mon 2 Nov 2026". */
export function describeDay(day: string): string {
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
  const { weekday, ...date } = formatParts(format, new Date(day));
  return `${weekday} ${date.day} ${date.month} ${date.year}`;
}

/**
 * Creates a function that formats times in one time zone, such as "2 Nov 2026, 14:05". The function returns other
 * strings unchanged.
 */
export function createClockFormat(timeZone: string): (moment: string | undefined) => string {
  const options = {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  } as const;
  const format = new Intl.DateTimeFormat("en-US", { ...options, timeZone, hourCycle: "h23" });
  return (moment) => {
    const at = Date.parse(moment ?? "");
    if (Number.isNaN(at)) return moment ?? missingMark;
    const { day, month, year, hour, minute } = formatParts(format, new Date(at));
    return `${day} ${month} ${year}, ${hour}:${minute}`;
  };
}

/**
 * Returns the parts of a date. Expects an American English format, in which all short month names have three letters.
 */
function formatParts(format: Intl.DateTimeFormat, at: Date): Partial<Record<string, string>> {
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** Formats a change, such as "+12%". Returns undefined if there is nothing to compare with. */
function compareNumbers(now: number | undefined, before: number | undefined): string | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined;
  const percent = (now / before - 1) * 100;
  const rounded = Math.abs(percent) < 10 ? Math.round(percent * 10) / 10 : Math.round(percent);
  if (rounded === 0) return "±0%";
  return `${rounded > 0 ? "+" : "−"}${formatNumber(Math.abs(rounded))}%`;
}

/** Statistic for display, such as the median session duration. `getValue` returns undefined if no session has the data. */
export interface ReportMeasure {
  readonly title: string;
  readonly getValue: (totals: ReportedTotals) => number | undefined;
  readonly format: (value: number) => string;
}

/** Creates a formatter for amounts, such as "12.34 EUR". */
function createMoneyFormat(currency = ""): (amount: number) => string {
  return (amount) =>
    `${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${currency}`;
}

/** Returns a report's measures, in display order. */
export function listMeasures({
  duration_unit,
  credit_price: price,
}: SessionsReportDocument): readonly ReportMeasure[] {
  const cost = {
    title: "Cost",
    getValue: (totals: ReportedTotals) => totals.cost,
    format: createMoneyFormat(price?.currency),
  };
  const formatReportDuration = (value: number) => formatDuration(value, duration_unit);
  return [
    { title: "Sessions", getValue: ({ sessions }) => sessions, format: formatNumber },
    {
      title: "Credits",
      getValue: (totals) => (lacksCredits(totals) ? undefined : totals.credits_consumed),
      format: formatNumber,
    },
    ...(price ? [cost] : []),
    { title: "Median duration", getValue: (totals) => totals.duration?.median, format: formatReportDuration },
    { title: "95th percentile", getValue: (totals) => totals.duration?.p95, format: formatReportDuration },
    { title: "Longest", getValue: (totals) => totals.duration?.longest, format: formatReportDuration },
    { title: "Total duration", getValue: (totals) => totals.duration?.sum, format: formatReportDuration },
  ];
}

/**
 * Compares a period's measures with the previous period. Values are formatted, and `change` is a string such as "+12%".
 */
export function compareMeasures(report: SessionsReportDocument) {
  return listMeasures(report).map(({ title, getValue, format }) => {
    const [now, before] = [getValue(report.totals), getValue(report.previous_totals)];
    const texts = {
      now: formatOptional(now, format),
      before: formatOptional(before, format),
      sandbox: formatOptional(getValue(report.sandbox), format),
    };
    return { title, change: compareNumbers(now, before), shown: texts };
  });
}

/** Returns sentences about sessions counted separately, the filter and the remaining credits. */
export function listReportSentences(report: SessionsReportDocument): string[] {
  const { filter, credits_left: left } = report;
  const only = Object.entries(filter ?? {}).map(([name, id]) => `${name} ${id}`);
  const sentences = [
    describeSandbox(report),
    describeActive(report),
    only.length > 0 && `Only sessions with ${only.join(" and ")}.`,
    left && `Credits left: ${left.amount}.`,
  ];
  return sentences.flatMap((sentence) => sentence || []);
}

const maxValues = 8;

/** Describes how often values occur, such as "Ended by: USER_CLOSED 2, NEW 1". Contains untrusted text. */
export function describeValues({ end_reasons, modes, sources }: SessionsReportDocument): string[] {
  return Object.entries({ "Ended by": end_reasons, Modes: modes, Sources: sources })
    .filter(([, counts]) => counts.some(({ value }) => value !== undefined))
    .map(([title, counts]) => {
      const shown = counts
        .slice(0, maxValues)
        .map(
          ({ value = "not reported", sessions }) =>
            `${clip(makeVisible(value.slice(0, 3_000)), 100)} ${formatNumber(sessions)}`,
        );
      const others = counts.length - maxValues;
      return `${title}: ${[...shown, ...(others > 0 ? [formatCount(others, "more value")] : [])].join(", ")}`;
    });
}

function describeSandbox(report: SessionsReportDocument): string | undefined {
  const { sandbox, previous_sandbox, duration_unit } = report;
  if (sandbox.sessions + previous_sandbox.sessions === 0) return undefined;
  const { duration, credits_consumed } = sandbox;
  const median = duration ? `, median duration ${formatDuration(duration.median, duration_unit)}` : "";
  const credits = credits_consumed === 0 ? "" : `, ${formatNumber(credits_consumed)} credits`;
  return `Sandbox sessions (counted separately): ${formatNumber(sandbox.sessions)} (previous period: ${formatNumber(previous_sandbox.sessions)})${median}${credits}.`;
}

function describeActive({ active }: SessionsReportDocument): string | undefined {
  const { sessions, credits_consumed } = active;
  if (sessions === 0) return undefined;
  const credits = lacksCredits(active) ? "" : `, with ${formatNumber(credits_consumed)} credits so far`;
  return `Still active (counted separately): ${formatCount(sessions, "session")}${credits}.`;
}

/** Compares the credits with the budget, if there is one. */
export function describeBudget({ budget, credit_price: price }: SessionsReportDocument): string | undefined {
  if (!budget) return undefined;
  const { credits, consumed, cost, status } = budget;
  const money = cost === undefined ? "" : `, ${createMoneyFormat(price?.currency)(cost)}`;
  const share = credits > 0 ? ` (${formatNumber(Math.floor((consumed / credits) * 1000) / 10)}%)` : "";
  const amounts = `${formatNumber(consumed)} of ${formatNumber(credits)} credits consumed${share}${money}`;
  if (status === "kept") return `Budget kept: ${amounts}.`;
  if (status === "exceeded") return `Budget exceeded: ${amounts}.`;
  return `Budget not checked: at least ${amounts}, but the numbers are incomplete. See the notes.`;
}

export function describeUnit({ duration_unit, duration_unit_configured }: SessionsReportDocument): string {
  return duration_unit_configured
    ? `Durations are in ${duration_unit}, as configured.`
    : "Durations are assumed to be in seconds, because the service does not state their unit. Set service.session_duration_unit to change this.";
}

export function formatOptional<Value, Shown>(
  value: Value | undefined,
  shown: (value: Value) => Shown,
): Shown | string {
  return value === undefined ? missingMark : shown(value);
}

export function formatOptionalText(text: string | undefined): string {
  return text === undefined || text === "" ? missingMark : text;
}
