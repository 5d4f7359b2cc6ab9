/** What the loop runs on; the clock is given, so that a day can be simulated. */
export interface RepeatOptions {
  /** One cycle; never throws. True: it failed in a way that is worth trying again before the interval is over. */
  readonly cycle: () => Promise<boolean>;
  /** From the end of one cycle to the beginning of the next. */
  readonly intervalMs: number;
  /** Ends the loop after the cycle that runs. */
  readonly signal: AbortSignal;
  readonly wakeSignal: WakeSignal;
  /** Waits this long, or until the signal aborts; never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Time in ms. */
  readonly now: () => number;
}

/** Runs cycles until it is asked to stop: one after the other, never two at a time. */
export async function repeat(options: RepeatOptions): Promise<void> {
  const { cycle, intervalMs, signal, wakeSignal, sleep, now } = options;
  const wake = () => wakeSignal.wake();
  signal.addEventListener("abort", wake);
  let failures = 0;
  while (!signal.aborted) {
    // Set before the cycle reads anything: what it is woken for from here on is not in this cycle, and starts another one.
    const woken = wakeSignal.next();
    failures = (await cycle()) ? failures + 1 : 0;
    if (signal.aborted) break;
    const endedMs = now();
    await sleep(pauseMs(intervalMs, failures), woken);
    const leastMs = Math.min(intervalMs, failures === 0 ? leastPauseMs : firstRetryMs);
    // A clock that was set back must not make it longer.
    const leftMs = leastMs - Math.max(0, now() - endedMs);
    if (woken.aborted && !signal.aborted && leftMs > 0) await sleep(leftMs, signal);
  }
  signal.removeEventListener("abort", wake);
}

/** However often the loop is woken, the service and the repository get this much rest between two cycles. */
const leastPauseMs = 5_000;
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

/** Ends the pause between two cycles early, but for its first seconds. However often it is woken, one cycle follows. */
export class WakeSignal {
  #controller = new AbortController();

  /** Aborts with the next wake-up from now on. */
  next(): AbortSignal {
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    return this.#controller.signal;
  }

  wake(): void {
    this.#controller.abort();
  }
}
