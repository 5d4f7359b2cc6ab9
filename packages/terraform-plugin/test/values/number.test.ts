import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberFrom, numberKey } from "../../src/values/number.js";
import { Decimal, type NumberValue } from "../../src/values/value.js";
import { numberText } from "./arbitrary.js";

describe("a number from its text", () => {
  it.each<[text: string, value: NumberValue | undefined]>([
    ["0", 0],
    ["-0", 0],
    ["-0.000", 0],
    ["007", 7],
    ["1.0", 1],
    ["0.1", 0.1],
    ["0.10", 0.1],
    ["1e3", 1000],
    ["1.5E+1", 15],
    ["1e-7", 1e-7],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ["12345678901234567890", 12345678901234567890n],
    ["1e100", 10n ** 100n],
    ["1e999999999", new Decimal("1e999999999")],
    ["0.1234567890123456789", new Decimal("0.1234567890123456789")],
    // The double nearest to a tenth, written out: not a tenth.
    [
      "0.1000000000000000055511151231257827021181583404541015625",
      new Decimal("0.1000000000000000055511151231257827021181583404541015625"),
    ],
    ["1e-400", new Decimal("1e-400")],
    ["", undefined],
    ["0x10", undefined],
    ["1.", undefined],
    [".5", undefined],
    ["Infinity", undefined],
    [" 1", undefined],
    ["1e9999999999", undefined],
  ])("%j", (text, value) => {
    expect(numberFrom(text)).toStrictEqual(value);
  });

  it("keeps every digit", () => {
    fc.assert(
      fc.property(numberText, (text) => {
        const value = numberFrom(text);
        expect(value === undefined ? undefined : numberKey(value)).toBe(numberKey(new Decimal(text)));
      }),
      { numRuns: 1_000 },
    );
  });

  it("is a double wherever the double's text is that number, and no integer beyond 2^53", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const value = numberFrom(String(double));
        if (Number.isInteger(double) && !Number.isSafeInteger(double)) expect(typeof value).toBe("bigint");
        else expect(value).toBe(double || 0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps a million zeros", () => {
    const zeros = "0".repeat(1_000_000);
    expect(numberFrom(`0.${zeros}1`)).toStrictEqual(new Decimal(`0.${zeros}1`));
  });
});
