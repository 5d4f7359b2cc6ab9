import { isMapping } from "../../base/text/index.js";
import { parseTimestamp } from "../../core/kinds/index.js";
import type { DurationUnit } from "../../core/manifest/index.js";

/** The values of an entry that a row takes, in the service's spelling (§2.7) and in the order in which they are shown. */
const columns = {
  id: "string",
  created_at: "string",
  updated_at: "string",
  /** Only in deployments' historic sessions. */
  end_at: "string",
  end_reason: "string",
  /** Its unit is not documented. */
  duration: "number",
  source: "string",
  mode: "string",
  is_sandbox: "boolean",
  credits_consumed: "number",
} as const;

/** One session; missing values are absent. */
export type SessionRow = {
  readonly [Column in keyof typeof columns]?: {
    string: string;
    number: number;
    boolean: boolean;
  }[(typeof columns)[Column]];
};

/** An entry as a row; undefined if it cannot be told apart from others. Every `problem` is counted by its text. */
export function parseRow(entry: unknown, problem: (text: string) => void = () => {}): SessionRow | undefined {
  if (!isMapping(entry)) {
    problem("not an object");
    return undefined;
  }
  const row: Record<string, unknown> = {};
  for (const [column, type] of Object.entries(columns)) {
    const value = entry[column];
    if (isMissing(value)) continue;
    // JSON has numbers such as 1e999, which are read as infinite.
    if (typeof value === type && (type !== "number" || Number.isFinite(value))) row[column] = value;
    else problem(`${column} is not a ${type}`);
  }
  if (isMissing(entry.id)) problem("no id");
  if (row.id === undefined) return undefined;
  if (isMissing(entry.created_at)) problem("no created_at");
  else if (row.created_at !== undefined && Number.isNaN(createdMs(row))) problem("created_at is not a time");
  // Sandbox mode is what is asked for (§8).
  if (isMissing(entry.is_sandbox)) row.is_sandbox = false;
  return row;
}

/** Null, absent and empty mean the same (§2.7). */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** When the session was created, in ms since the epoch; NaN if it does not say. */
export function createdMs({ created_at }: SessionRow): number {
  return parseTime(created_at);
}

/** When the session ended or last changed, in ms since the epoch; NaN if it does not say. */
export function endedMs({ end_at, updated_at }: SessionRow): number {
  return parseTime(end_at ?? updated_at);
}

/** Only times that begin with a date: the parser of the language takes almost any text for one. */
function parseTime(text: string | undefined): number {
  return text !== undefined && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? parseTimestamp(text) : Number.NaN;
}

/** A duration of the service in seconds. Its unit is as configured; without that, it is taken for seconds (§2.7). */
export function durationSeconds(duration: number, unit: DurationUnit = "seconds"): number {
  if (unit === "milliseconds") return duration / 1_000;
  return unit === "minutes" ? duration * 60 : duration;
}
