import type { SessionRow } from "./row.js";
import { openSums } from "./sum.js";

/** Sums over some sessions, and how many state no number; with the keys of a report. */
export interface Totals {
  readonly sessions: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
  /** In the service's unit; 95 of 100 sessions were not longer than `p95`. Absent: no session states one. */
  readonly duration?: Readonly<Record<"sum" | "median" | "p95" | "longest", number>>;
  readonly sessions_without_duration: number;
}

/** Counts sessions one by one. Keeps of each its duration, 8 bytes: percentiles are exact. */
export class Tally {
  readonly #sums = openSums();
  readonly #durations = new Numbers();

  add(row: SessionRow): void {
    this.#sums.add(row);
    if (row.duration !== undefined) this.#durations.push(row.duration);
  }

  totals(): Totals {
    const { sessions, credits, withoutCredits, duration: sum, withoutDuration } = this.#sums.value();
    const sorted = this.#durations.sorted();
    const [median, p95] = [percentile(sorted, 50), percentile(sorted, 95)];
    const duration = { sum, median, p95, longest: sorted.at(-1) ?? 0 };
    return {
      sessions,
      credits_consumed: credits,
      sessions_without_credits: withoutCredits,
      ...(sorted.length > 0 && { duration }),
      sessions_without_duration: withoutDuration,
    };
  }
}

/**
 * Of sorted numbers, in proportion between the two nearest: as PERCENTILE of a spreadsheet does, so that the two can
 * be compared. Of whole numbers the result is as exact as a number can be.
 */
function percentile(sorted: Float64Array, percent: number): number {
  const hundredths = (sorted.length - 1) * percent;
  const [below, share] = [Math.floor(hundredths / 100), hundredths % 100];
  const [from = 0, to = from] = [sorted[below], sorted[below + 1]];
  return share === 0 ? from : (from * (100 - share) + to * share) / 100;
}

/** A list of numbers that grows. */
class Numbers {
  #values = new Float64Array(8);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const longer = new Float64Array(this.#length * 2);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.#length++] = value;
  }

  /** A copy. */
  sorted(): Float64Array {
    return this.#values.slice(0, this.#length).sort();
  }
}
