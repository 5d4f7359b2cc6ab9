import { expect, test } from "vitest";
import { sumExactly } from "../../src/sessions/reports/sum.js";

test.each([
  [[0.1, 0.2], 0.3],
  [[], 0],
  [[1e21, 1], 1e21],
  [[1e-7, 2e-7], 3e-7],
  [[-0.5, 0.25], -0.25],
  [[Number.NaN, 1], 1],
  [Array.from({ length: 300_000 }, () => 0.1), 30_000],
])("sums %j exactly to %d", (numbers, sum) => {
  expect(sumExactly(numbers)).toBe(sum);
});
