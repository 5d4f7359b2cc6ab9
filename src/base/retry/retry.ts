import { setTimeout } from "node:timers/promises";

/** Node fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits until the time is over or the signal aborts. Never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.min(ms, longestTimerMs), undefined, { signal }).catch(() => undefined);
}

/**
 * Does something until it succeeds. After each failure `beforeNext` decides: it throws if there is no next attempt, and
 * otherwise waits. `attempts`: how many there were, 1 at first.
 */
export async function retry<Result>(
  work: () => Promise<Result>,
  beforeNext: (error: unknown, attempts: number) => Promise<void>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      await beforeNext(error, attempts);
    }
  }
}

/**
 * A pause twice as long after each attempt. Random between half of it and the whole, so that not all who saw the same
 * failure come back at the same moment.
 */
export function backoffMs(
  firstMs: number,
  attempts: number,
  { longestMs = Number.POSITIVE_INFINITY, random = Math.random } = {},
): number {
  return Math.min(longestMs, firstMs * 2 ** (attempts - 1)) * (0.5 + random() / 2);
}
