import { setTimeout } from "node:timers/promises";

/** Node fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits until the time is over or the signal aborts. Never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.min(ms, longestTimerMs), undefined, { signal }).catch(() => undefined);
}
