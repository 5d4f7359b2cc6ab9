export interface RepeatOptions {
  /**
   * Runs one cycle, and never throws. Returns true if the cycle failed and should be retried before the interval ends.
   */
  readonly runCycle: () => Promise<boolean>;
  /** Pause between the end of one cycle and the start of the next. */
  readonly intervalMs: number;
  /** Returns the maximum pause before the next cycle. Called after each cycle. Default: no limit. */
  readonly dueInMs?: (() => number | undefined) | undefined;
  /** Signal that ends the loop after the current cycle. */
  readonly signal: AbortSignal;
  /** Waits for `ms`, or until the signal aborts. Never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Runs cycles one at a time until the signal aborts. */
export async function repeat({ runCycle, intervalMs, dueInMs, signal, sleep }: RepeatOptions): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    failures = (await runCycle()) ? failures + 1 : 0;
    const dueMs = dueInMs?.() ?? Number.POSITIVE_INFINITY;
    if (!signal.aborted) await sleep(Math.min(computePauseMs(intervalMs, failures), dueMs), signal);
  }
}

const firstRetryMs = 10_000;
const maxRetryMs = 5 * 60_000;

/**
 * Returns the interval, or a shorter pause after a failure, because most failures are brief. The pause doubles up to
 * five minutes or the interval, whichever is longer.
 */
function computePauseMs(intervalMs: number, failures: number): number {
  if (failures === 0) return intervalMs;
  const first = Math.min(intervalMs, firstRetryMs);
  return Math.min(first * 2 ** (failures - 1), Math.max(intervalMs, maxRetryMs));
}
