// @module-tag ci
import { describe, expect, test } from "vitest";
import { repeat, WakeSignal } from "../../src/base/serving/index.js";

const minute = 60_000;

/** Runs cycles, of which these fail, one after the other, and stops; returns the pauses between them. */
async function pausesAfter(
  failures: readonly boolean[],
  intervalMs = minute,
  during: (cycle: number, wakeSignal: WakeSignal) => void = () => {},
  wokenAfterMs: (ms: number, cycle: number, wakeSignal: WakeSignal) => number = (ms) => ms,
) {
  const stop = new AbortController();
  const wakeSignal = new WakeSignal();
  const pauses: (number | "woken")[] = [];
  let cycles = 0;
  let now = 0;
  await repeat({
    intervalMs,
    signal: stop.signal,
    wakeSignal,
    now: () => now,
    async cycle() {
      const hasFailed = failures[cycles++] === true;
      during(cycles, wakeSignal);
      return hasFailed;
    },
    async sleep(ms, signal) {
      pauses.push(signal.aborted ? "woken" : ms);
      now += signal.aborted ? 0 : wokenAfterMs(ms, cycles, wakeSignal);
      if (cycles >= failures.length) stop.abort();
    },
  });
  return pauses;
}

describe("between two cycles", () => {
  test("there is less after a first failure, then more each time, then the interval again", async () => {
    const seconds = [10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000);
    expect(await pausesAfter([...seconds.map(() => true), false, true])).toEqual([
      ...seconds,
      minute,
      10_000,
    ]);
  });

  test("there is never less than the interval at first, nor more than it if it is long", async () => {
    const failures = Array.from({ length: 12 }, () => true);
    expect((await pausesAfter(failures, 1_000))[0]).toBe(1_000);
    expect((await pausesAfter(failures, 60 * minute)).at(-1)).toBe(60 * minute);
  });

  test("there are a few seconds if a push came while the cycle ran, and one cycle for many of them", async () => {
    const pauses = await pausesAfter([false, false, false], minute, (cycle, wakeSignal) => {
      if (cycle === 1) for (let i = 0; i < 1_000; i++) wakeSignal.wake();
    });
    expect(pauses).toEqual(["woken", 5_000, minute, minute]);
  });

  test("a push ends the pause at once, unless a cycle ended just before", async () => {
    const pushAfter = (pushMs: number) => (ms: number, cycle: number, wakeSignal: WakeSignal) => {
      if (cycle > 1 || ms < minute) return ms;
      wakeSignal.wake();
      return pushMs;
    };
    const unchanged = [false, false];
    expect(await pausesAfter(unchanged, minute, () => {}, pushAfter(5_000))).toEqual([minute, minute]);
    expect(await pausesAfter(unchanged, minute, () => {}, pushAfter(1_000))).toEqual([minute, 4_000, minute]);
    // The clock was set back meanwhile.
    expect(await pausesAfter(unchanged, minute, () => {}, pushAfter(-minute))).toEqual([
      ...[minute, 5_000, minute],
    ]);
  });

  test("a delivery that is sent again and again leaves the pauses of sync as they are", async () => {
    const pauses = (hasFailed: boolean) =>
      pausesAfter([hasFailed, hasFailed, hasFailed], minute, (_, wakeSignal) => wakeSignal.wake());
    expect(await pauses(false)).toEqual(["woken", 5_000, "woken", 5_000, "woken"]);
    expect(await pauses(true)).toEqual(["woken", 10_000, "woken", 10_000, "woken"]);
  });
});

test("no cycle begins once the loop was asked to stop, and its pause ends", async () => {
  const stop = new AbortController();
  let cycles = 0;
  await repeat({
    intervalMs: minute,
    signal: stop.signal,
    wakeSignal: new WakeSignal(),
    now: () => 0,
    async cycle() {
      cycles++;
      return false;
    },
    sleep: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve());
        stop.abort();
      }),
  });
  expect(cycles).toBe(1);
});
