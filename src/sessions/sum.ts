/** The exact decimal sum: 0.1 + 0.2 is 0.3, since credits may be fractions and are added as written. */
export function exactSum(numbers: readonly number[]): number {
  const decimals = numbers.filter(Number.isFinite).map(decimalOf);
  const digits = decimals.reduce((most, decimal) => Math.max(most, decimal.digits), 0);
  const sum = decimals.reduce(
    (total, { units, digits: own }) => total + units * 10n ** BigInt(digits - own),
    0n,
  );
  return Number(`${sum}e-${digits}`);
}

/** A number as written: 12.5 is 125 units with 1 decimal place. */
function decimalOf(number: number): { units: bigint; digits: number } {
  const [mantissa = "0", exponent = "0"] = String(number).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const digits = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}
