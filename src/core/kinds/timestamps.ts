import type { Kind } from "./kind.js";

/**
 * Whether an `updated_at` is sure to change with the next edit.
 *
 * Clocks tick, and two edits within one tick have the same timestamp: a reader between them never notices the
 * second one (the problem of git's racy index). If ticks are seconds, a timestamp is reliable only if it was
 * two seconds old when it was read. If they are milliseconds or less, an edit would have to follow in the
 * same millisecond in which our request was answered, so every timestamp is reliable at once.
 *
 * Timestamps themselves show the length of ticks: a clock of seconds never has a digit other than 0 in the
 * third decimal. A clock of milliseconds has 0 there in every tenth timestamp, so the other timestamps of the
 * service count, too: `preciseTimestamps`.
 */
export function isReliableTimestamp(
  updatedAt: string | undefined,
  readAtMs: number,
  preciseTimestamps = false,
): boolean {
  const movedMs = parseTimestamp(updatedAt);
  return preciseTimestamps || isPreciseTimestamp(updatedAt)
    ? !Number.isNaN(movedMs)
    : readAtMs - movedMs >= 2_000;
}

/** Whether a timestamp shows that its clock ticks at least every millisecond. */
export function isPreciseTimestamp(timestamp: string | undefined): boolean {
  return /\.\d\d\d*[1-9]/.test(timestamp ?? "");
}

/**
 * A timestamp of the service, in ms; NaN if it is not one.
 *
 * Assumed: a time without a zone is in UTC, as the document says of avatars (§2.3). As local time it would be
 * hours off.
 */
export function parseTimestamp(text: string | undefined): number {
  const isZoned = /(z|[+-]\d\d:?\d\d)$/i.test(text ?? "");
  return Date.parse(isZoned ? (text ?? "") : `${text}Z`);
}

/**
 * Whether the `updated_at` in a list shows that such an object has not changed. If the list has the whole
 * object, or there is nothing to read, timestamps have no use.
 */
export function detectsChangesByTimestamp({ read, list }: Kind): boolean {
  return read !== undefined && list !== undefined && !list.whole;
}
