import type { SessionRow } from "./row.js";

/** The exact decimal sum: 0.1 + 0.2 is 0.3, since credits may be fractions and are added as written. */
export function exactSum(numbers: readonly number[]): number {
  const sum = openSum();
  for (const number of numbers) sum.add(number);
  return sum.value();
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

/** Sums over the sessions with a number, and the count of those without. */
export interface SessionTotals {
  readonly sessions: number;
  readonly duration: number;
  readonly withoutDuration: number;
  readonly credits: number;
  readonly withoutCredits: number;
}

export function openSums() {
  const [durations, credits] = [openSum(), openSum()];
  const counts = { sessions: 0, withoutDuration: 0, withoutCredits: 0 };
  return {
    add({ duration, credits_consumed }: SessionRow): void {
      counts.sessions++;
      if (duration === undefined) counts.withoutDuration++;
      else durations.add(duration);
      if (credits_consumed === undefined) counts.withoutCredits++;
      else credits.add(credits_consumed);
    },
    value: (): SessionTotals => ({ ...counts, duration: durations.value(), credits: credits.value() }),
  };
}
