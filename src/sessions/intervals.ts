import type { Grouping } from "./grouping.js";
import type { Period } from "./period.js";

/** A group of sessions: those created from then until the next one begins. */
export interface Interval {
  readonly key: string;
  /** Ms since the epoch. */
  readonly sinceMs: number;
}

/**
 * Divides a period by moments.
 *
 * @param intervals in order; the first one begins with the period, or before it.
 */
export function intervalsOf({ since }: Period, intervals: readonly Interval[]): Grouping {
  return {
    groups: intervals.map(({ key, sinceMs }, at) => ({
      key,
      isPartial: sinceMs < since || at === intervals.length - 1,
    })),
    keyOf(_, createdMs) {
      let [low, high] = [0, intervals.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((intervals[middle]?.sinceMs ?? 0) <= createdMs) low = middle;
        else high = middle - 1;
      }
      return intervals[low]?.key;
    },
  };
}
