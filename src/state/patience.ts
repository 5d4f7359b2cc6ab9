import { setTimeout as sleep } from "node:timers/promises";
import { StateError } from "./state-error.js";
import type { StoreEnvironment } from "./state-store.js";

/** How long a store is asked again that does not answer. */
export type Patience = Pick<StoreEnvironment, "patienceMs" | "signal" | "onOutage">;

/** Once the run was asked to stop. */
const longestStopMs = 5_000;

/**
 * Does what can be repeated until it succeeds, with growing pauses: an outage of seconds must not end an apply half-way.
 * The last error counts.
 */
export async function patiently<Result>(
  { patienceMs = 30_000, signal, onOutage }: Patience,
  work: () => Promise<Result>,
  isPassing: (error: unknown) => boolean = isUnreachable,
): Promise<Result> {
  const began = performance.now();
  let tries = 0;
  for (let pauseMs = patienceMs / 300; ; pauseMs = Math.min(2 * pauseMs, patienceMs / 6)) {
    try {
      return await work();
    } catch (error) {
      const limitMs = signal?.aborted ? Math.min(longestStopMs, patienceMs) : patienceMs;
      if (!isPassing(error) || performance.now() - began + pauseMs > limitMs) throw error;
    }
    tries += 1;
    if (tries === 3) onOutage?.(patienceMs);
    // Not all runs at the same moment again.
    await sleep(
      (0.5 + Math.random()) * pauseMs,
      undefined,
      signal && !signal.aborted ? { signal } : {},
    ).catch(() => undefined);
  }
}

/** Whether a store did not answer: then it is not known whether it did what it was asked. */
export function isUnreachable(error: unknown): error is StateError {
  return error instanceof StateError && error.code === "unreachable";
}
