import type { Kind } from "./kind.js";

/**
 * Whether an `updated_at` may be trusted to change with the next edit.
 *
 * A clock goes by ticks, and two edits within one tick leave the same timestamp: the second is never noticed by who has
 * read between them (the problem of git's racy index). Where ticks are seconds, a timestamp is trusted only if it was two
 * seconds old when it was read. Where they are milliseconds or less, an edit would have to follow in the very
 * millisecond in which our request was answered, and every timestamp is trusted at once.
 *
 * How long its ticks are, a timestamp tells by itself: a clock of seconds never shows a digit other than 0 in the third
 * decimal. A clock of milliseconds shows 0 there in every tenth timestamp, so what others of the same service show counts,
 * too: `preciseTimestamps`.
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

/** Whether a timestamp shows that the clock it comes from ticks at least every millisecond. */
export function isPreciseTimestamp(timestamp: string | undefined): boolean {
  return /\.\d\d\d*[1-9]/.test(timestamp ?? "");
}

/**
 * A moment the service wrote, in ms; NaN where it is none.
 *
 * Assumed: a time without a zone is in UTC, as the document says of avatars (§2.3). Read as local time it would be hours off.
 */
export function parseTimestamp(text: string | undefined): number {
  const isZoned = /(z|[+-]\d\d:?\d\d)$/i.test(text ?? "");
  return Date.parse(isZoned ? (text ?? "") : `${text}Z`);
}

/**
 * Whether the `updated_at` in a list is what tells that such an object has not moved. Where the list tells the whole
 * object, or there is nothing to read, timestamps are of no use.
 */
export function detectsChangesByTimestamp({ read, list }: Kind): boolean {
  return read !== undefined && list !== undefined && !list.whole;
}
