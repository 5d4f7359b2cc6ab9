import { setImmediate } from "node:timers/promises";
import { nodeSystem, type System } from "../../src/base/system/index.js";

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
}

/** Seeded random numbers and a clock that advances only when all work waits for a timer. */
export interface VirtualTime {
  readonly system: System;
  /** Runs the work to completion, timer by timer. */
  run<Result>(work: Promise<Result>): Promise<Result>;
}

/** Maximum simulated time: one day. */
const maxMs = 86_400_000;

export function openVirtualTime(seed: number, startMs = 0): VirtualTime {
  const timers: Timer[] = [];
  let nowMs = startMs;

  const startTimer: System["startTimer"] = (ms, fire) => {
    const timer: Timer = { atMs: nowMs + Math.max(0, ms), fire };
    const after = timers.findLastIndex(({ atMs }) => atMs <= timer.atMs);
    timers.splice(after + 1, 0, timer);
    return () => {
      const at = timers.indexOf(timer);
      if (at !== -1) timers.splice(at, 1);
    };
  };

  const sleep: System["sleep"] = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const stop = startTimer(ms, resolve);
      signal?.addEventListener("abort", () => {
        stop();
        resolve();
      });
    });

  return {
    system: {
      ...nodeSystem,
      ...{ now: () => nowMs, monotonic: () => nowMs, sleep, startTimer, random: openRandom(seed) },
    },
    async run(work) {
      let hasEnded = false;
      const end = () => {
        hasEnded = true;
      };
      work.then(end, end);
      for (;;) {
        await setImmediate();
        if (hasEnded) return work;
        const next = timers.shift();
        if (!next) throw new Error("The work waits for something other than the clock");
        if (next.atMs > startMs + maxMs) throw new Error("The work does not end");
        nowMs = next.atMs;
        next.fire();
      }
    },
  };
}

/** Returns numbers in [0, 1), the same for the same seed (mulberry32). */
export function openRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
