import type { SessionRow } from "./row.js";
import { openSum } from "./sum.js";

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
  #sessions = 0;
  readonly #credits = openSum();
  #withoutCredits = 0;
  readonly #durations = new Numbers();
  readonly #duration = openSum();

  add({ credits_consumed: credits, duration }: SessionRow): void {
    this.#sessions++;
    if (credits === undefined) this.#withoutCredits++;
    else this.#credits.add(credits);
    if (duration === undefined) return;
    this.#durations.push(duration);
    this.#duration.add(duration);
  }

  totals(): Totals {
    const sorted = this.#durations.sorted();
    const duration = {
      sum: this.#duration.value(),
      median: percentile(sorted, 50),
      p95: percentile(sorted, 95),
      longest: sorted.at(-1) ?? 0,
    };
    return {
      sessions: this.#sessions,
      credits_consumed: this.#credits.value(),
      sessions_without_credits: this.#withoutCredits,
      ...(sorted.length > 0 && { duration }),
      sessions_without_duration: this.#sessions - sorted.length,
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
