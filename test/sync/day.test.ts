// @module-tag night
import fc from "fast-check";
import { expect, test } from "vitest";
import { simulate } from "./simulation.js";

/* A short one; a whole day is in test/real/day.test.ts. */
test("every change is written once, whatever fails meanwhile, and then there is nothing to do", async () => {
  const { rounds, changes, writes, faults } = await simulate({
    seed: fc.readConfigureGlobal().seed ?? 0,
    hours: 1,
    withSecret: false,
  });
  expect(writes).toBe(changes);
  // Something has happened.
  expect([rounds > 1, changes > 6, faults > 1]).toEqual([true, true, true]);
});
