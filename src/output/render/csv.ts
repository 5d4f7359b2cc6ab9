import type { ReportedTotals, SessionsReportDocument } from "../documents/index.js";
import { visible } from "./visible.js";

/** Numbers of some sessions; durations in the unit of the report. New columns come last. */
const columns = [
  ["sessions", (totals) => totals.sessions],
  ["credits_consumed", (totals) => totals.credits_consumed],
  ["sessions_without_credits", (totals) => totals.sessions_without_credits],
  ["duration_median", (totals) => totals.duration?.median],
  ["duration_p95", (totals) => totals.duration?.p95],
  ["duration_longest", (totals) => totals.duration?.longest],
  ["duration_sum", (totals) => totals.duration?.sum],
  ["sessions_without_duration", (totals) => totals.sessions_without_duration],
] as const satisfies readonly (readonly [string, (totals: ReportedTotals) => CsvCell])[];

/**
 * A report as CSV: a record for each group, or, without groups, one for each of the totals. What may be wrong is not in
 * it.
 */
export function renderReportCsv(report: SessionsReportDocument): string {
  const names = columns.map(([name]) => name);
  const numbers = (totals: ReportedTotals) => columns.map(([, of]) => of(totals));
  const { by, groups, duration_unit: unit, credit_price: price } = report;
  const money = price ? ["cost", "currency"] : [];
  const moneyOf = ({ cost }: ReportedTotals) => (price ? [cost, price.currency] : []);
  if (by === undefined) {
    const totals = (["totals", "previous_totals", "sandbox", "previous_sandbox"] as const).map((name) => [
      name,
      ...numbers(report[name]),
      unit,
      ...moneyOf(report[name]),
    ]);
    return [["", ...names, "duration_unit", ...money], ...totals].map(csvRecord).join("");
  }
  const records = groups.map((group) => [
    group.key,
    ...numbers(group),
    unit,
    group.sandbox_sessions,
    group.partial === true,
    ...moneyOf(group),
  ]);
  const titles = [by, ...names, "duration_unit", "sandbox_sessions", "partial", ...money];
  return [titles, ...records].map(csvRecord).join("");
}

/** What a cell can contain; undefined is an empty one. */
export type CsvCell = string | number | boolean | undefined;

/**
 * One record of CSV (RFC 4180), with its line end. Numbers stay numbers. Texts come from the service: what controls a
 * terminal is written out, and what a spreadsheet would run as a formula begins with an apostrophe, as OWASP advises.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: CsvCell): string {
  if (typeof value !== "string") return value === undefined ? "" : String(value);
  const shown = visible(value);
  const harmless = /^[=+\-@＝＋－＠]/.test(shown) ? `'${shown}` : shown;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
