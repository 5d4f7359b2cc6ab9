import { describe, expect, test } from "vitest";
import { type CycleOutcome, repeatCycles, WakeSignal } from "../../src/sync/index.js";

const minute = 60_000;

/** Runs cycles that end like this, one after the other, and stops; returns the pauses between them. */
async function pausesAfter(
  outcomes: readonly CycleOutcome[],
  intervalMs = minute,
  during: (cycle: number, wakeSignal: WakeSignal) => void = () => {},
) {
  const stop = new AbortController();
  const wakeSignal = new WakeSignal();
  const pauses: (number | "woken")[] = [];
  let cycles = 0;
  await repeatCycles({
    intervalMs,
    signal: stop.signal,
    wakeSignal,
    async cycle() {
      const outcome = outcomes[cycles++] ?? "unchanged";
      during(cycles, wakeSignal);
      return { outcome, changes: [], drifted: 0, ambiguous: 0, unread: 0, problems: [] };
    },
    async sleep(ms, signal) {
      pauses.push(signal.aborted ? "woken" : ms);
      if (cycles >= outcomes.length) stop.abort();
    },
  });
  return pauses;
}

describe("between two cycles", () => {
  test("there is the interval, whatever waits for a person", async () => {
    const outcomes = [
      "applied",
      "unchanged",
      "drifted",
      "invalid",
      "ambiguous",
      "refused",
      "locked",
    ] as const;
    expect(await pausesAfter(outcomes)).toEqual(outcomes.map(() => minute));
  });

  test("there is less after a first failure, then more each time, then the interval again", async () => {
    const failures = Array.from({ length: 7 }, () => "failed" as const);
    const seconds = [10, 20, 40, 80, 160, 300, 300].map((s) => s * 1000);
    expect(await pausesAfter([...failures, "unchanged", "partly"])).toEqual([...seconds, minute, 10_000]);
  });

  test("there is never less than the interval at first, nor more than it if it is long", async () => {
    const failures = Array.from({ length: 12 }, () => "failed" as const);
    expect((await pausesAfter(failures, 1_000))[0]).toBe(1_000);
    expect((await pausesAfter(failures, 60 * minute)).at(-1)).toBe(60 * minute);
  });

  test("there is no pause if a push came while the cycle ran, and one cycle for many of them", async () => {
    const pauses = await pausesAfter(["unchanged", "unchanged", "unchanged"], minute, (cycle, wakeSignal) => {
      if (cycle === 1) for (let i = 0; i < 1_000; i++) wakeSignal.wake();
    });
    expect(pauses).toEqual(["woken", minute, minute]);
  });
});

test("no cycle begins once the loop was asked to stop, and its pause ends", async () => {
  const stop = new AbortController();
  let cycles = 0;
  await repeatCycles({
    intervalMs: minute,
    signal: stop.signal,
    wakeSignal: new WakeSignal(),
    async cycle() {
      cycles++;
      return { outcome: "unchanged", changes: [], drifted: 0, ambiguous: 0, unread: 0, problems: [] };
    },
    sleep: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve());
        stop.abort();
      }),
  });
  expect(cycles).toBe(1);
});
