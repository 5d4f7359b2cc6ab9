// @module-tag night
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { simulate } from "../sync/simulation.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Returns the used heap in bytes. */
function measureHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("sends each change once and leaks no memory in a sync during a simulated day of faults and edits", {
  tags: "night",
  timeout: 3_600_000,
}, async () => {
  const heaps = new Map<number, number>();
  const { rounds, changes, writes, faults, outcomes } = await simulate({
    seed: fc.readConfigureGlobal().seed ?? 0,
    hours: 24,
    withSecret: true,
    onHour: (hour) => void ([6, 24].includes(hour) && heaps.set(hour, measureHeap())),
  });
  expect(writes).toBe(changes);
  expect([rounds > 100, changes > 100, faults > 100]).toEqual([true, true, true]);
  expect(Object.keys(outcomes)).toEqual(
    expect.arrayContaining(["unchanged", "applied", "failed", "invalid"]),
  );
  expect((heaps.get(24) ?? Number.NaN) / (heaps.get(6) ?? Number.NaN)).toBeLessThan(1.3);
});
