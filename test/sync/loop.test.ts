import { expect, test } from "vitest";
import { repeat } from "../../src/base/serving/index.js";

const minute = 60_000;

/** Runs one cycle for each entry of `failures`, then stops. Returns the pauses between cycles. */
async function measurePauses(
  failures: readonly boolean[],
  intervalMs = minute,
  dueInMs?: () => number | undefined,
) {
  const stop = new AbortController();
  const pauses: number[] = [];
  let cycles = 0;
  await repeat({
    ...{ intervalMs, dueInMs },
    signal: stop.signal,
    runCycle: async () => failures[cycles++] === true,
    async sleep(ms) {
      pauses.push(ms);
      if (cycles >= failures.length) stop.abort();
    },
  });
  return pauses;
}

test("backs off after failed sync cycles and then returns to the interval", async () => {
  const seconds = [10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000);
  expect(await measurePauses([...seconds.map(() => true), false, true])).toEqual([
    ...seconds,
    minute,
    10_000,
  ]);
});

test("limits pauses between sync cycles to a minimum and a maximum", async () => {
  const failures = Array.from({ length: 12 }, () => true);
  expect((await measurePauses(failures, 1_000))[0]).toBe(1_000);
  expect((await measurePauses(failures, 60 * minute)).at(-1)).toBe(60 * minute);
});

test("shortens a pause between sync cycles if a task is due earlier", async () => {
  const due = [5_000, 10 * minute, undefined];
  expect(await measurePauses([false, false, false], minute, () => due.shift())).toEqual([
    5_000,
    minute,
    minute,
  ]);
});
