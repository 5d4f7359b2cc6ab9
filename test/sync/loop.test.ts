import { expect, test } from "vitest";
import { repeat } from "../../src/base/serving/index.js";

const minute = 60_000;

/** Runs cycles, of which these fail, one after the other, and stops; returns the pauses between them. */
async function pausesAfter(
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
    cycle: async () => failures[cycles++] === true,
    async sleep(ms) {
      pauses.push(ms);
      if (cycles >= failures.length) stop.abort();
    },
  });
  return pauses;
}

test("the pause is shorter after a first failure, then longer each time, then the interval again", async () => {
  const seconds = [10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000);
  expect(await pausesAfter([...seconds.map(() => true), false, true])).toEqual([...seconds, minute, 10_000]);
});

test("the pause is never less than the interval at first, nor more than it if it is long", async () => {
  const failures = Array.from({ length: 12 }, () => true);
  expect((await pausesAfter(failures, 1_000))[0]).toBe(1_000);
  expect((await pausesAfter(failures, 60 * minute)).at(-1)).toBe(60 * minute);
});

test("the pause ends when something is due, and is never longer for that", async () => {
  const due = [5_000, 10 * minute, undefined];
  expect(await pausesAfter([false, false, false], minute, () => due.shift())).toEqual([
    5_000,
    minute,
    minute,
  ]);
});
