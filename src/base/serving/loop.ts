export interface RepeatOptions {
  /** One cycle; never throws. True: it failed in a way that is worth trying again before the interval is over. */
  readonly cycle: () => Promise<boolean>;
  /** From the end of one cycle to the beginning of the next. */
  readonly intervalMs: number;
  /** Called after each cycle; returns in how many ms the next one must begin at the latest. Default: no limit. */
  readonly dueInMs?: (() => number | undefined) | undefined;
  /** Ends the loop after the cycle that runs. */
  readonly signal: AbortSignal;
  /** Waits this long, or until the signal aborts; never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Runs cycles until it is asked to stop: one after the other, never two at a time. */
export async function repeat({ cycle, intervalMs, dueInMs, signal, sleep }: RepeatOptions): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    failures = (await cycle()) ? failures + 1 : 0;
    const dueMs = dueInMs?.() ?? Number.POSITIVE_INFINITY;
    if (!signal.aborted) await sleep(Math.min(pauseMs(intervalMs, failures), dueMs), signal);
  }
}

const firstRetryMs = 10_000;
const longestRetryMs = 5 * 60_000;

/**
 * The interval; after a failure less, since most are over soon, then twice as long each time up to five minutes, or the
 * interval if that is longer.
 */
function pauseMs(intervalMs: number, failures: number): number {
  if (failures === 0) return intervalMs;
  const first = Math.min(intervalMs, firstRetryMs);
  return Math.min(first * 2 ** (failures - 1), Math.max(intervalMs, longestRetryMs));
}
