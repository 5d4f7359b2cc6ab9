import { Decimal, type NumberValue } from "./value.js";

/*
 * Terraform counts with 512 bits and compares fractions by their shortest decimal text. So do we, whatever a number is
 * kept in: a double stands for its shortest text (0.1 is a tenth, and not the double nearest to it), and a text is
 * kept in a double only if the double gives that text back.
 *
 * One sort of number no provider can give back to terraform 1.11: a fraction that a double holds exactly, but whose
 * digits are more than that double's shortest text has (1/pow(2, 30)). Terraform sends it, and keeps it in plans, as a
 * double, compares by text, and so misses digits that it dropped itself. Seen with the text, and with all its digits.
 */

/** The number a decimal text stands for, without the loss of a digit; undefined if it is not a number. */
export function numberFrom(text: string): NumberValue | undefined {
  const parts = splitNumber(text);
  if (!parts) return undefined;
  const { negative, digits, exponent } = parts;
  if (exponent >= 0 && digits.length + exponent <= maxIntegerDigits) {
    const integer = BigInt(digits) * 10n ** BigInt(exponent);
    return integerFrom(negative ? -integer : integer);
  }
  const double = Number(text);
  return numberKey(double) === numberKey(new Decimal(text)) ? double : new Decimal(text);
}

/** An integer in the form it has among values: a number where that is exact. */
export function integerFrom(integer: bigint): number | bigint {
  const double = Number(integer);
  return Number.isSafeInteger(double) ? double : integer;
}

/** A text that is the same for two numbers exactly when they are equal; undefined if it is not a number (NaN, a wrong Decimal). */
export function numberKey(value: NumberValue): string | undefined {
  const parts = splitNumber(value instanceof Decimal ? value.text : String(value));
  return parts && `${parts.negative ? "-" : ""}${parts.digits}e${parts.exponent}`;
}

/** More, and `1e999999999` would fill the memory. 512 bits are 155 digits. */
const maxIntegerDigits = 1_000;

/** value = ± digits · 10^exponent, where digits neither begins nor ends with 0 unless it is "0". */
interface Parts {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function splitNumber(text: string): Parts | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const all = whole + fraction;
  let first = 0;
  while (all[first] === "0") first += 1;
  if (first === all.length) return { negative: false, digits: "0", exponent: 0 };
  let end = all.length;
  while (all[end - 1] === "0") end -= 1;
  return {
    negative: sign === "-",
    digits: all.slice(first, end),
    exponent: Number(exponent) - fraction.length + all.length - end,
  };
}
