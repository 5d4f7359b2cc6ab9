import { visible } from "./visible.js";

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
