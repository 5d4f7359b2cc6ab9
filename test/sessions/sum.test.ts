import { expect, test } from "vitest";
import { sumExactly } from "../../src/sessions/reports/sum.js";

test.each([
  ["decimal fractions", [0.1, 0.2], 0.3],
  ["no numbers", [], 0],
  ["very different numbers", [1e21, 1], 1e21],
  ["small numbers", [1e-7, 2e-7], 3e-7],
  ["negative numbers", [-0.5, 0.25], -0.25],
  ["numbers next to NaN", [Number.NaN, 1], 1],
  ["300,000 numbers", Array.from({ length: 300_000 }, () => 0.1), 30_000],
])("sums %s exactly", (_, numbers, sum) => {
  expect(sumExactly(numbers)).toBe(sum);
});
