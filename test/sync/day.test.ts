// @module-tag night
import fc from "fast-check";
import { expect, test } from "vitest";
import { simulate } from "./simulation.js";

/* Simulates one hour. test/real/day.test.ts simulates a whole day. */
test("writes each change exactly once during a simulated hour of sync with faults", async () => {
  const { rounds, changes, writes, faults } = await simulate({
    seed: fc.readConfigureGlobal().seed ?? 0,
    hours: 1,
    withSecret: false,
  });
  expect(writes).toBe(changes);
  // Guards against a simulation in which nothing happened.
  expect([rounds > 1, changes > 6, faults > 1]).toEqual([true, true, true]);
});
