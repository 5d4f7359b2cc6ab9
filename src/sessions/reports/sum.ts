import type { SessionRow } from "./row.js";

/** Sums decimals exactly (0.1 + 0.2 is 0.3), because credits may be fractions. */
export function sumExactly(numbers: readonly number[]): number {
  const sum = openSum();
  for (const number of numbers) sum.add(number);
  return sum.value();
}

/** Multiplies decimals exactly: 3 × 0.1 is 0.3. */
export function multiplyExactly(one: number, other: number): number {
  const [a, b] = [toDecimal(one), toDecimal(other)];
  return Number(`${a.units * b.units}e-${a.digits + b.digits}`);
}

/** Sums numbers exactly, one by one. Skips numbers that are not finite. */
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

/** Splits a number into digits and decimal places: 12.5 is 125 units with 1 decimal place. */
function toDecimal(number: number): { units: bigint; digits: number } {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const digits = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}

/** Sums over the sessions that have a value, and counts of those that do not. Keys are named as in the JSON output. */
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

/** Adds up sessions, and the sandbox sessions among them. */
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

/** Counts sessions. Keeps every duration, to compute exact percentiles. */
export class Tally {
  readonly #sums = openSums();
  readonly #durations: number[] = [];

  add(row: SessionRow): void {
    this.#sums.add(row);
    if (row.duration !== undefined) this.#durations.push(row.duration);
  }

  /** Returns the totals under their report keys. */
  getTotals() {
    const { duration: sum, sessions_without_duration, ...sums } = this.#sums.value();
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const [median, p95] = [computePercentile(sorted, 50), computePercentile(sorted, 95)];
    const duration = { sum, median, p95, longest: sorted.at(-1) ?? 0 };
    return {
      ...sums,
      /** Duration in the service's unit. Absent if no session has a duration. */
      ...(sorted.length > 0 && { duration }),
      sessions_without_duration,
    };
  }
}

/** Computes a percentile of sorted numbers, interpolated like a spreadsheet's PERCENTILE. Exact for whole numbers. */
function computePercentile(sorted: readonly number[], percent: number): number {
  const hundredths = (sorted.length - 1) * percent;
  const [below, share] = [Math.floor(hundredths / 100), hundredths % 100];
  const [from = 0, to = from] = [sorted[below], sorted[below + 1]];
  return share === 0 ? from : (from * (100 - share) + to * share) / 100;
}
