import type { Kind } from "./kind.js";

/**
 * Returns whether the next edit is certain to change this `updated_at`. Two edits within one clock tick get the same
 * timestamp.
 *
 * If the service's clock ticks in seconds, a timestamp is reliable only if it was at least two seconds old when it was
 * read. If it ticks in milliseconds, every timestamp is reliable, because no edit follows our response within a
 * millisecond.
 *
 * @param preciseTimestamps Whether another timestamp shows that the clock ticks in milliseconds. This one may end in
 * .000 by chance.
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

/** Returns whether a timestamp proves that the service's clock has milliseconds. */
export function isPreciseTimestamp(timestamp: string | undefined): boolean {
  return /\.\d\d\d*[1-9]/.test(timestamp ?? "");
}

/**
 * Parses a service timestamp to ms, or returns NaN if it is invalid. Assumes UTC for a time without a zone, as
 * documented for avatars (§2.3).
 */
export function parseTimestamp(text: string | undefined): number {
  const isZoned = /(z|[+-]\d\d:?\d\d)$/i.test(text ?? "");
  return Date.parse(isZoned ? (text ?? "") : `${text}Z`);
}

/**
 * Returns whether a list's `updated_at` can show that an object is unchanged. False for kinds whose list contains
 * complete objects, or whose objects cannot be read.
 */
export function canDetectChangesByTimestamp({ read, list }: Kind): boolean {
  return read !== undefined && list !== undefined && !list.whole;
}
