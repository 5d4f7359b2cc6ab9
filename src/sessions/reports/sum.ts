import type { SessionRow } from "./row.js";

/** The exact decimal sum: 0.1 + 0.2 is 0.3, since credits may be fractions and are added as written. */
export function exactSum(numbers: readonly number[]): number {
  const sum = openSum();
  for (const number of numbers) sum.add(number);
  return sum.value();
}

/** The exact decimal product: 3 × 0.1 is 0.3. */
export function exactProduct(one: number, other: number): number {
  const [a, b] = [toDecimal(one), toDecimal(other)];
  return Number(`${a.units * b.units}e-${a.digits + b.digits}`);
}

/** An exact sum of numbers that come one by one; what is not a finite number is passed over. */
export function openSum() {
  let total = 0n;
  let digits = 0;
  return {
    add(number: number): void {
      if (!Number.isFinite(number)) return;
      const decimal = toDecimal(number);
      if (decimal.digits > digits) {
        total *= 10n ** BigInt(decimal.digits - digits);
        digits = decimal.digits;
      }
      total += decimal.units * 10n ** BigInt(digits - decimal.digits);
    },
    value: () => Number(`${total}e-${digits}`),
  };
}

/** A number as written: 12.5 is 125 units with 1 decimal place. */
function toDecimal(number: number): { units: bigint; digits: number } {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const digits = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}

/** Sums over the sessions that state a number, and how many state none; with the keys of documents. */
export interface SessionTotals {
  readonly sessions: number;
  readonly duration: number;
  readonly sessions_without_duration: number;
  readonly credits_consumed: number;
  readonly sessions_without_credits: number;
}

function openSums() {
  const [durations, credits] = [openSum(), openSum()];
  let [sessions, sessions_without_duration, sessions_without_credits] = [0, 0, 0];
  return {
    add({ duration, credits_consumed }: SessionRow): void {
      sessions++;
      if (duration === undefined) sessions_without_duration++;
      else durations.add(duration);
      if (credits_consumed === undefined) sessions_without_credits++;
      else credits.add(credits_consumed);
    },
    value: (): SessionTotals => ({
      ...{ sessions, duration: durations.value(), sessions_without_duration },
      ...{ credits_consumed: credits.value(), sessions_without_credits },
    }),
  };
}

/** Totals of sessions that come one by one. */
export function openTotals() {
  const [all, sandbox] = [openSums(), openSums()];
  return {
    add(session: SessionRow): void {
      all.add(session);
      if (session.is_sandbox) sandbox.add(session);
    },
    value: () => ({ all: all.value(), sandbox: sandbox.value() }),
  };
}

/** Counts sessions one by one. Keeps the duration of each: percentiles are exact. */
export class Tally {
  readonly #sums = openSums();
  readonly #durations: number[] = [];

  add(row: SessionRow): void {
    this.#sums.add(row);
    if (row.duration !== undefined) this.#durations.push(row.duration);
  }

  /** With the keys of a report. */
  totals() {
    const { duration: sum, sessions_without_duration, ...sums } = this.#sums.value();
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const [median, p95] = [percentile(sorted, 50), percentile(sorted, 95)];
    const duration = { sum, median, p95, longest: sorted.at(-1) ?? 0 };
    return {
      ...sums,
      /** In the service's unit; 95 of 100 sessions were not longer than `p95`. Absent: no session states one. */
      ...(sorted.length > 0 && { duration }),
      sessions_without_duration,
    };
  }
}

/**
 * The percentile of sorted numbers, in proportion between the two nearest, as PERCENTILE of a spreadsheet: the two can
 * be compared. For whole numbers the result is as exact as a number can be.
 */
function percentile(sorted: readonly number[], percent: number): number {
  const hundredths = (sorted.length - 1) * percent;
  const [below, share] = [Math.floor(hundredths / 100), hundredths % 100];
  const [from = 0, to = from] = [sorted[below], sorted[below + 1]];
  return share === 0 ? from : (from * (100 - share) + to * share) / 100;
}
