import { isMapping } from "../../base/text/index.js";
import { parseTimestamp } from "../../core/kinds/index.js";
import type { DurationUnit } from "../../core/manifest/index.js";

/** The columns of a row, in the service's spelling (§2.7) and in display order. */
const columns = {
  id: "string",
  created_at: "string",
  updated_at: "string",
  /** End time of an ended session. Undocumented, but sent by deployments. */
  end_at: "string",
  end_reason: "string",
  /** Duration in an undocumented unit. */
  duration: "number",
  source: "string",
  mode: "string",
  /** Sandbox mode must be requested (§8), so a session without the flag counts as a normal one. */
  is_sandbox: "boolean",
  credits_consumed: "number",
} as const;

/** One session. Missing values are omitted. */
export type SessionRow = {
  readonly [Column in keyof typeof columns]?: {
    string: string;
    number: number;
    boolean: boolean;
  }[(typeof columns)[Column]];
};

/** Parses an entry. Returns undefined if it has no id. Reports each defect to `problem`. */
export function parseRow(entry: unknown, problem: (text: string) => void = () => {}): SessionRow | undefined {
  if (!isMapping(entry)) {
    problem("not an object");
    return undefined;
  }
  const row: Record<string, unknown> = {};
  for (const [column, type] of Object.entries(columns)) {
    const value = entry[column];
    if (isMissing(value)) continue;
    // JSON numbers such as 1e999 are parsed as infinity.
    if (typeof value === type && (type !== "number" || Number.isFinite(value))) row[column] = value;
    else problem(`${column} is not a ${type}`);
  }
  if (isMissing(entry.id)) problem("no id");
  if (row.id === undefined) return undefined;
  if (isMissing(entry.created_at)) problem("no created_at");
  else if (row.created_at !== undefined && Number.isNaN(getCreatedMs(row)))
    problem("created_at is not a time");
  return row;
}

/** Returns whether a value is null, absent or empty, which are equivalent (§2.7). */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Returns the creation time, in ms since the epoch, or NaN if unknown. */
export function getCreatedMs({ created_at }: SessionRow): number {
  return parseTime(created_at);
}

/** Returns the time when the session ended or last changed, in ms since the epoch, or NaN if unknown. */
export function getEndedMs({ end_at, updated_at }: SessionRow): number {
  return parseTime(end_at ?? updated_at);
}

/** Parses times that start with a date, because JavaScript's parser accepts almost any string. */
function parseTime(text: string | undefined): number {
  return text !== undefined && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? parseTimestamp(text) : Number.NaN;
}

/** Converts a duration from the service to seconds. The unit is configurable, with seconds as the default (§2.7). */
export function toDurationSeconds(duration: number, unit: DurationUnit = "seconds"): number {
  if (unit === "milliseconds") return duration / 1_000;
  return unit === "minutes" ? duration * 60 : duration;
}
